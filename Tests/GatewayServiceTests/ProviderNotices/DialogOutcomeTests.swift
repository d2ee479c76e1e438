import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("The outcome of a provider's dialog has an error of the catalogue")
struct DialogOutcomeTests {
    private static let table:
        [(provider: String, outcome: GatewayV1.ProviderOutcome, code: String)] = [
            ("apple", .cancelled, "auth/apple-cancelled"),
            ("google", .cancelled, "auth/google-cancelled"),
            ("keycloak", .cancelled, "auth/provider-cancelled"),
            ("other", .cancelled, "auth/provider-cancelled"),
            ("apple", .failed, "auth/invalid-provider-token"),
            ("keycloak", .failed, "auth/invalid-provider-token"),
            ("google", .unavailable, "auth/provider-unavailable"),
            ("google", .network, "auth/provider-unavailable"),
            ("apple", .timeout, "auth/provider-unavailable"),
        ]

    @Test("G-24: each outcome has its own code, sentence and next step", arguments: table.indices)
    func rows(row: Int) throws {
        let (provider, outcome, code) = Self.table[row]
        let answer = try describe(.init(provider: provider, outcome: outcome))
        #expect(answer.code == code)
        #expect(!answer.userMessage.isEmpty)
        #expect(answer.action == (outcome == .failed ? "start-again" : "try-again"))
        #expect(answer.retryable == (code == "auth/provider-unavailable"))
    }

    @Test("D3 FR-023: a failed dialog has the sentence of the requirements")
    func words() throws {
        let answer = try describe(.init(provider: "google", outcome: .failed))
        #expect(answer.userMessage == "Sign-in failed. Please try again.")
    }

    @Test("X-01: the sentence is in the call's language, or in English")
    func languages() throws {
        func sentence(_ language: String) throws -> String {
            try describe(.init(provider: "apple", outcome: .cancelled), language).userMessage
        }
        let english = try sentence("")
        for language in ["en", "en-GB", "nl", "not a language"] {
            #expect(try sentence(language) == english)
        }
        let others = try ["de", "es", "fr-CA", "ja"].map(sentence)
        #expect(Set(others + [english]).count == 5)
    }

    @Test(
        "a missing or unknown provider or outcome is rejected and its field named",
        arguments: [
            ("", GatewayV1.ProviderOutcome.cancelled, "provider"),
            (String(repeating: "p", count: 65), .cancelled, "provider"),
            ("apple", .unspecified, "outcome"), ("apple", .unrecognized(99), "outcome"),
        ])
    func refused(provider: String, outcome: GatewayV1.ProviderOutcome, field: String) {
        #expect(throws: ServiceError(.invalidArgument, fields: [field])) {
            try describe(.init(provider: provider, outcome: outcome))
        }
    }

    private func describe(
        _ request: GatewayV1.DescribeProviderOutcomeRequest, _ language: String? = nil
    ) throws -> GatewayV1.DescribeProviderOutcomeResponse {
        var context = CallContext(deadline: .seconds(1))
        context.metadata[Metadata.Key.acceptLanguage] = language
        let unknown = KnownAlternatives(
            SignInOptionsClient(InProcessChannel([])), time: ManualTime())
        return try ProviderNoticesHandler(alternatives: unknown)
            .describeProviderOutcome(request, context)
    }
}
