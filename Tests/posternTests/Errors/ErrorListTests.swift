import RPC
import ServiceRuntime
import Testing

@testable import postern

@Suite("`postern errors`: the catalogue as text and as JSON")
struct ErrorListTests {
    @Test("X-01: the JSON has every code, with its properties", arguments: Voice.allCases)
    func json(voice: Voice) throws {
        let text = ErrorsCommand.json(ErrorCode.allCases, voice).joined(separator: "\n")
        #expect(text.hasPrefix("[\n  {\"code\": \"auth/user-disabled\", "))
        for code in ErrorCode.allCases {
            #expect(
                text.contains(
                    """
                    {"code": "\(code.rawValue)", "status": "\(code.entry.status.name)", \
                    "retryable": \(code.entry.isRetryable)
                    """))
            #expect(text.contains("\"userMessage\": \"\(code.sentence(in: voice))\"}"))
        }
        #expect(text.hasSuffix("}\n]"))
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
