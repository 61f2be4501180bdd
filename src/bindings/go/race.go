//go:build race

package bloomline

import (
	"runtime"
	"unsafe"
)

// The race detector does not see what C reads and writes.
func raceRead(content *byte)  { runtime.RaceRead(unsafe.Pointer(content)) }
func raceWrite(content *byte) { runtime.RaceWrite(unsafe.Pointer(content)) }
