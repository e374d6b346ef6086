package result

// ForCapture is the purpose of the trial in which frames are captured.
const ForCapture Purpose = "capture"

// Capture is a file of the run's folder that holds frames of one port.
type Capture struct {
	// Port is "a" or "b" of the tester, or "dut-a" or "dut-b", the DUT's devices beside them.
	Port string `json:"port"`
	// File is the path of the pcapng file within the run's folder.
	File   string `json:"file"`
	Frames int    `json:"frames"`
}
