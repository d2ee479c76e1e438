import RPC
import ServiceRuntime
import Testing

@testable import postern

@Suite("`postern errors`: the catalogue as people and programs read it")
struct ErrorListTests {
    @Test("X-01: the JSON reads back, with every code", arguments: ErrorLanguage.allCases)
    func json(language: ErrorLanguage) throws {
        let text = ErrorList.json(ErrorCode.allCases, language).joined(separator: "\n")
        #expect(text.hasPrefix("[\n  {\"code\": \"auth/user-disabled\", "))
        for code in ErrorCode.allCases {
            #expect(
                text.contains(
                    """
                    {"code": "\(code.rawValue)", "status": "\(code.entry.status.name)", \
                    "retryable": \(code.entry.isRetryable)
                    """))
            #expect(text.contains("\"userMessage\": \"\(code.sentence(in: language))\"}"))
        }
        #expect(text.hasSuffix("}\n]"))
    }

    @Test("X-01: a line tells what to do, and the next what is read")
    func lines() {
        #expect(
            ErrorList.lines([.tooManyRequests], .german) == [
                "auth/too-many-requests  resource_exhausted, may be tried again, next: wait",
                "    Zu viele Versuche. Bitte warten Sie, bevor Sie es erneut versuchen.",
            ])
    }
}
