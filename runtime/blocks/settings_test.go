package blocks_test

import (
	"reflect"
	"testing"
	"time"

	"openclaw/runtime/blocks"
	"openclaw/runtime/config"
)

func TestSettings(t *testing.T) {
	s := config.Streaming{
		Blocks: true, MinChars: 800, MaxChars: 1200, Preference: "sentence", TextLimit: 4000,
		CoalesceMin: 1500, CoalesceMax: 4000, Idle: time.Second, DelayMin: time.Second, DelayMax: 2 * time.Second,
	}
	stream, delivery := blocks.Settings(s)
	if want := (blocks.StreamOptions{Options: blocks.Options{Min: 800, Max: 1200, Prefer: blocks.Sentence}}); !reflect.DeepEqual(stream, want) {
		t.Errorf("%+v", stream)
	}
	if want := (blocks.DeliveryOptions{
		Coalescing: &blocks.Coalescing{Min: 1500, Max: 4000, Idle: time.Second, Joiner: " "}, Pause: blocks.Pause{Min: time.Second, Max: 2 * time.Second},
	}); !reflect.DeepEqual(delivery, want) {
		t.Errorf("%+v", delivery)
	}
	s.EachParagraph = true
	if _, delivery := blocks.Settings(s); delivery.Coalescing != nil {
		t.Error("paragraphs are joined again")
	}
	s.Blocks = false
	stream, delivery = blocks.Settings(s)
	if !stream.AtMessageEnd || stream.Max != 4000 || !reflect.DeepEqual(delivery, blocks.DeliveryOptions{}) {
		t.Errorf("%+v, %+v", stream, delivery)
	}
}
