import Glibc
import Testing

@testable import postern

@Suite("Processes that the tool starts")
struct OSProcessTests {
    @Test("the line about a program that ended has its exit code, or the signal and its name")
    func phrase() {
        #expect(OSProcess.End(status: 0).phrase == "ended with exit code 0")
        #expect(OSProcess.End(status: 78 << 8).phrase == "ended with exit code 78")
        #expect(OSProcess.End(status: SIGKILL).phrase == "was ended by signal 9 (Killed)")
        // A program that dumps core.
        #expect(OSProcess.End(status: SIGILL | 0x80).phrase.hasPrefix("was ended by signal 4 ("))
    }

    @Test("only SIGKILL is from outside: a program never sends it to itself")
    func killed() {
        #expect(OSProcess.End(status: SIGKILL).isKill)
        #expect(!OSProcess.End(status: SIGSEGV | 0x80).isKill)
        #expect(!OSProcess.End(status: SIGKILL << 8).isKill)
    }

    @Test("its end is returned once, with the exit code or the signal")
    func ends() throws {
        let exits = try OSProcess("sh", ["-c", "exit 3"], streams: [:], hasOwnGroup: false)
        #expect(exits.wait() == .exit(code: 3))
        #expect(exits.wait() == nil)
        let sleeps = try OSProcess("sleep", ["60"], streams: [:], hasOwnGroup: true)
        #expect(sleeps.ended() == nil)
        sleeps.send(SIGTERM)
        #expect(sleeps.wait() == .signal(SIGTERM))
    }

    @Test("a program that is not in PATH is not started, and the error names it")
    func missing() {
        let error = #expect(throws: OSProcess.NotStarted.self) {
            try OSProcess("no-such-program", [], streams: [:], hasOwnGroup: false)
        }
        #expect(error?.code == ENOENT)
        #expect(error?.description == "no-such-program: No such file or directory")
    }

    @Test("it inherits no end of a pipe but its stream, so closing that one is noticed")
    func pipes() throws {
        let (input, written) = try OSProcess.pipe()
        let (read, output) = try OSProcess.pipe()
        let copies = try OSProcess(
            "cat", [], streams: [STDIN_FILENO: input, STDOUT_FILENO: output], hasOwnGroup: false)
        close(input)
        close(output)
        #expect(write(written, "abc", 3) == 3)
        close(written)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(Glibc.read(read, &bytes, bytes.count) == 3)
        #expect(bytes.prefix(3) == Array("abc".utf8)[...])
        #expect(copies.wait() == .exit(code: 0))
        #expect(Glibc.read(read, &bytes, bytes.count) == 0)
        close(read)
    }
}
