import Glibc
import Testing

@testable import postern

@Suite("A signal cancels a command that has something to remove first")
struct InterruptionTests {
    /// With a signal that no other test uses, and that does nothing without a handler: another one
    /// would end the test run, if it came after the handler has gone. It is sent until it has an
    /// effect.
    @Test("a second signal, unless it is Ctrl-C, does not end the tool before that")
    func twice() async {
        await #expect(throws: CancellationError.self) {
            try await Interruption.cancels(on: [SIGURG]) {
                while !Task.isCancelled {
                    kill(getpid(), SIGURG)
                    await Task.yield()
                }
                kill(getpid(), SIGURG)
                try Task.checkCancellation()
            }
        }
    }
}
