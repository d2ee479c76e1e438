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

    @Test("what changes the terminal is replaced: controls, separators, bidirectional controls")
    func printable() {
        let hostile = "a\u{1b}]52;c;eA==\u{7}b\u{9b}2J\u{7f}\r\u{2028}\u{202e}\u{2066}\u{feff}"
        let shown =
            "a\u{fffd}]52;c;eA==\u{fffd}b\u{fffd}2J" + String(repeating: "\u{fffd}", count: 6)
        #expect(hostile.printable == shown)
        #expect(hostile.printableLine == shown)
        #expect(ToolError(hostile).description == shown)
    }

    @Test("a page keeps its lines and tabs; a line of a list cannot contain further lines")
    func lines() {
        #expect("é: 1\n\t😀\r\n".printable == "é: 1\n\t😀\u{fffd}\n")
        #expect("é: 1\n\t😀".printableLine == "é: 1\u{fffd}\u{fffd}😀")
    }
}
