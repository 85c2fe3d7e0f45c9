package meter

import (
	"fmt"
	"sort"

	"openclaw/sandbox/internal/wasm"
)

// DataSegment is a range of initial memory contents.
type DataSegment struct {
	Offset uint32
	Bytes  []byte
}

// maxGap is the longest run of zero bytes between two segments that is cheaper
// to write than to skip. Memory is zero before the segments are written.
const maxGap = 64

// liftData takes the active segments out of the module, merged into ranges that
// are sorted and do not touch. Segments that the code refers to by index
// (keepIndices) leave an empty one behind, which is what an active segment is to
// the code once it has been applied.
//
// If any offset depends on a global, or the memory is imported, only the engine
// can apply the segments, and all stay where they are because their order counts.
func liftData(m *wasm.Module, keepIndices bool) ([]DataSegment, error) {
	if len(m.Memories) == 0 {
		return nil, nil
	}
	placed, ok, err := placeData(m)
	if err != nil || !ok {
		return nil, err
	}
	kept := m.Data[:0:0]
	for i := range m.Data {
		d := m.Data[i]
		if d.Mode == wasm.Active {
			if !keepIndices {
				continue
			}
			d = wasm.Data{Mode: wasm.Active, Offset: wasm.I32Const(0)}
		}
		kept = append(kept, d)
	}
	m.Data = kept
	if m.DataCount != nil {
		n := uint32(len(kept))
		m.DataCount = &n
	}
	return mergeData(placed), nil
}

// placeData evaluates the offsets. It reports false if it cannot.
func placeData(m *wasm.Module) ([]DataSegment, bool, error) {
	size := uint64(m.Memories[0].Min) * wasm.PageSize
	placed := make([]DataSegment, 0, len(m.Data))
	for i := range m.Data {
		d := &m.Data[i]
		if d.Mode != wasm.Active {
			continue
		}
		offset, ok := d.Offset.I32()
		if !ok {
			return nil, false, nil
		}
		if uint64(offset)+uint64(len(d.Bytes)) > size {
			return nil, false, fmt.Errorf("data[%d]: %w: %d bytes at 0x%x do not fit the initial memory of %d bytes",
				i, ErrDataOutOfBounds, len(d.Bytes), offset, size)
		}
		if len(d.Bytes) > 0 {
			placed = append(placed, DataSegment{offset, d.Bytes})
		}
	}
	return placed, true, nil
}

// mergeData joins neighbours. Where segments overlap, the later one wins.
func mergeData(segments []DataSegment) []DataSegment {
	ranges := dataRanges(segments)
	total := uint64(0)
	for _, r := range ranges {
		total += r.end - r.start
	}
	image := make([]byte, total)
	merged := make([]DataSegment, len(ranges))
	for i, r := range ranges {
		n := r.end - r.start
		merged[i] = DataSegment{uint32(r.start), image[:n:n]}
		image = image[n:]
	}
	for _, s := range segments {
		i := sort.Search(len(ranges), func(i int) bool { return ranges[i].end > uint64(s.Offset) })
		copy(merged[i].Bytes[uint64(s.Offset)-ranges[i].start:], s.Bytes)
	}
	return merged
}

type dataRange struct{ start, end uint64 }

func dataRanges(segments []DataSegment) []dataRange {
	all := make([]dataRange, len(segments))
	for i, s := range segments {
		all[i] = dataRange{uint64(s.Offset), uint64(s.Offset) + uint64(len(s.Bytes))}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].start < all[j].start })
	merged := all[:0]
	for _, r := range all {
		if n := len(merged); n > 0 && r.start <= merged[n-1].end+maxGap {
			merged[n-1].end = max(merged[n-1].end, r.end)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}
