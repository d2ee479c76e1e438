import ServiceRuntime
import Testing

@Suite("X-01: the error catalogue is whole")
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
        "X-01: every entry has a status that is an error, and a sentence",
        arguments: ErrorCode.allCases)
    func entry(code: ErrorCode) {
        let entry = code.entry
        #expect(entry.status != .ok)
        #expect(entry.sentence.hasSuffix("."))
        #expect(entry.sentence.first?.isUppercase == true)
        #expect(entry.sentence.utf8.count <= 200)
        #expect(!entry.next.rawValue.isEmpty)
    }

    @Test("X-01: every code stands for itself alone")
    func unique() {
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == ErrorCode.allCases.count)
    }

    @Test("X-01: who is told to wait may retry", arguments: ErrorCode.allCases)
    func waiting(code: ErrorCode) {
        if code.entry.next == .wait { #expect(code.entry.isRetryable) }
    }

    @Test("X-02: no code tells that an account does not exist, or which half was wrong")
    func enumeration() {
        let codes = ErrorCode.allCases.map(\.rawValue)
        #expect(!codes.contains("auth/user-not-found"))
        #expect(!codes.contains("auth/wrong-password"))
    }

    @Test("an error's status is its entry's, and gRPC has seventeen of them")
    func status() {
        #expect(ServiceError(.tooManyRequests).status == .resourceExhausted)
        #expect(StatusCode.allCases.map(\.rawValue) == Array(0...16))
    }
}
