import JSON
import RPC
import ServiceRuntime
import Testing

@testable import postern

@Suite("`postern errors`: the catalogue as text and as JSON")
struct ErrorListTests {
    @Test("X-01: the JSON has each code's properties", arguments: Voice.allCases)
    func json(voice: Voice) {
        for code in ErrorCode.allCases {
            #expect(
                ErrorsCommand.row(code, voice).json
                    == .object([
                        "code": .string(code.rawValue), "status": .string(code.entry.status.name),
                        "retryable": .boolean(code.entry.isRetryable),
                        "action": .string(code.entry.next.rawValue),
                        "userMessage": .string(code.sentence(in: voice)),
                    ]))
        }
    }

    @Test("X-01: each code has a line with its properties and a line with its user message")
    func lines() {
        #expect(
            ErrorsCommand.lines([.tooManyRequests], Voice(.german)) == [
                "auth/too-many-requests  resource_exhausted, may be tried again, next: wait",
                "    Zu viele Versuche. Bitte warte, bevor du es erneut versuchst.",
            ])
    }
}
