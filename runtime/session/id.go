package session

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"
)

// Layout of a UUID (RFC 9562).
const (
	uuidVersionByte = 6
	uuidVariantByte = 8
)

// newSessionID makes a UUIDv7: ids in the order of their time, to the millisecond.
func newSessionID(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[6:]) // never fails
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return formatUUID(b, 7)
}

// newEntryID makes a UUIDv4.
func newEntryID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return formatUUID(b, 4)
}

func formatUUID(b [16]byte, version byte) string {
	b[uuidVersionByte] = b[uuidVersionByte]&0x0f | version<<4
	b[uuidVariantByte] = b[uuidVariantByte]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
