import ArgumentParser
import Glibc
import Testing

@testable import postern

@Suite("The tool's output")
struct ScreenTests {
    @Test("an output that its reader has closed ends the command silently; a full disk does not")
    func closed() {
        // ArgumentParser prints nothing about an exit code.
        let closed = Screen.failure(EPIPE) as? ExitCode
        #expect(closed == ExitCode(141))
        let failure = Screen.failure(ENOSPC) as? ToolError
        #expect(failure?.description.hasPrefix("standard output: ") == true)
    }
}
