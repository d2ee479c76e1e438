import Glibc
import Testing

@testable import postern

@Suite("How a program under `postern up` has ended")
struct ChildEndTests {
    @Test("the line about a program that ended has its exit code, or the signal and its name")
    func phrase() {
        #expect(Child.End(status: 0).phrase == "ended with exit code 0")
        #expect(Child.End(status: 78 << 8).phrase == "ended with exit code 78")
        #expect(Child.End(status: SIGKILL).phrase == "was ended by signal 9 (Killed)")
        // A program that dumps core.
        #expect(Child.End(status: SIGILL | 0x80).phrase.hasPrefix("was ended by signal 4 ("))
    }

    @Test("only SIGKILL is from outside: a program never sends it to itself")
    func killed() {
        #expect(Child.End(status: SIGKILL).isKill)
        #expect(!Child.End(status: SIGSEGV | 0x80).isKill)
        #expect(!Child.End(status: SIGKILL << 8).isKill)
    }
}
