//go:build race

package bloomline_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRaceDetectorSeesWrongUse runs itself in processes that use one filter in two goroutines.
func TestRaceDetectorSeesWrongUse(t *testing.T) {
	f := newBloom(t, 1000)
	uses := map[string]func(){
		"AddKey":   func() { f.AddKey([]byte("key")) },
		"AddKeys":  func() { f.AddKeys(keysOf("key", 10)) },
		"Clear":    func() { f.Clear() },
		"Close":    func() { f.Close() },
		"MayMatch": func() { f.MayMatch([]byte("key")) },
	}
	if use := uses[os.Getenv("BLOOMLINE_WRONG_USE")]; use != nil {
		done := make(chan bool)
		go func() { use(); close(done) }()
		defer func() { <-done }()
		f.MayMatch([]byte("other"))
		return
	}
	for name := range uses {
		command := exec.Command(os.Args[0], "-test.run", t.Name())
		command.Env = append(os.Environ(), "BLOOMLINE_WRONG_USE="+name)
		output, err := command.CombinedOutput()
		reported := err != nil && strings.Contains(string(output), "DATA RACE")
		check(t, reported == (name != "MayMatch"), "%s beside MayMatch: %s", name, output)
	}
}
