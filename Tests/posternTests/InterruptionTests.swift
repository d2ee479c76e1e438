import Glibc
import Testing

@testable import postern

@Suite("A signal cancels a command that has something to remove first")
struct InterruptionTests {
    /// With a signal that no other test uses. It is sent again until it has an effect, because it
    /// is ignored until the handler is in place.
    @Test("a second signal, unless it is Ctrl-C, does not end the tool before that")
    func twice() async {
        await #expect(throws: CancellationError.self) {
            try await Interruption.cancels(on: [SIGUSR2]) {
                while !Task.isCancelled {
                    kill(getpid(), SIGUSR2)
                    await Task.yield()
                }
                kill(getpid(), SIGUSR2)
                try Task.checkCancellation()
            }
        }
    }
}
