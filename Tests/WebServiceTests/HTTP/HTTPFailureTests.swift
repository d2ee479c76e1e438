import HTTPTypes
import Testing
import WebService

@Suite("HTTP failures")
struct HTTPFailureTests {
    @Test("a failure has its status")
    func status() {
        #expect(HTTPFailure(.contentTooLarge, "too large").status.code == 413)
    }
}
