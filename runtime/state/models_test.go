package state_test

import (
	"fmt"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/state"
)

func TestStandingsOfModelsSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	slot := models.Slot{Profile: "openai:default", Model: "gpt"}
	for _, one := range []models.Standing{
		{Slot: slot, LastUsed: noon, Errors: 1, Until: noon.Add(time.Minute), Kind: model.KindRateLimit},
		{Slot: models.Slot{Profile: "groq:default"}, LastUsed: noon, Errors: 1, Until: noon.Add(time.Hour), Kind: model.KindBilling, KeyMark: "0a1b"},
		{Slot: slot, LastUsed: noon.Add(time.Hour)},
	} {
		if err := db.SaveStanding(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	db, err := state.OpenReadOnly(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all, err := db.Standings(t.Context())
	want := []models.Standing{
		{Slot: models.Slot{Profile: "groq:default"}, LastUsed: noon, Errors: 1, Until: noon.Add(time.Hour), Kind: model.KindBilling, KeyMark: "0a1b"},
		{Slot: slot, LastUsed: noon.Add(time.Hour)},
	}
	if err != nil || fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("%v, %v; want %v", all, err, want)
	}
}

func TestWhereThereIsNoDatabaseNoModelHasFailed(t *testing.T) {
	db, err := state.OpenReadOnly(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if all, err := db.Standings(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}
