import ServiceRuntime
import Testing

@Suite("X-01: the error catalogue is complete")
struct ErrorCatalogueTests {
    @Test("X-01: every code is auth/… or rpc/… in kebab case", arguments: ErrorCode.allCases)
    func code(code: ErrorCode) {
        let parts = code.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        #expect(["auth", "rpc"].contains(parts.first))
        #expect(parts.last?.isEmpty == false)
        #expect(parts.last?.allSatisfy { ($0.isASCII && $0.isLowercase) || $0 == "-" } == true)
    }

    @Test(
        "X-01: every entry has an error status and a sentence",
        arguments: ErrorCode.allCases)
    func entry(code: ErrorCode) {
        let entry = code.entry
        let sentence = code.sentence(in: .english)
        #expect(entry.status != .ok)
        #expect(sentence.hasSuffix("."))
        #expect(sentence.first?.isUppercase == true)
        #expect(sentence.utf8.count <= 200)
        #expect(!entry.next.rawValue.isEmpty)
    }

    @Test("X-01: every code is unique")
    func unique() {
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == ErrorCode.allCases.count)
    }

    @Test("X-01: an error whose next action is to wait is retryable", arguments: ErrorCode.allCases)
    func waiting(code: ErrorCode) {
        if code.entry.next == .wait { #expect(code.entry.isRetryable) }
    }

    @Test("X-02: no code reveals whether an account exists or which credential was wrong")
    func enumeration() {
        let codes = ErrorCode.allCases.map(\.rawValue)
        #expect(!codes.contains("auth/user-not-found"))
        #expect(!codes.contains("auth/wrong-password"))
    }

    @Test("an error has its entry's status, and the statuses are gRPC's seventeen")
    func status() {
        #expect(ServiceError(.tooManyRequests).status == .resourceExhausted)
        #expect(StatusCode.allCases.map(\.rawValue) == Array(0...16))
    }
}
