import Messages
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("G-23: whether what an account has accepted is enough")
struct ConsentRuleTests {
    private static let current = ConsentVersions(terms: "2", privacy: "b")
    private static let others = [
        ConsentVersions.none, .init(terms: "1", privacy: "b"), .init(terms: "2", privacy: "a"),
        .init(terms: "2", privacy: ""), .init(terms: "", privacy: "b"),
        .init(terms: "b", privacy: "2"),
    ]

    @Test(
        "the truth table",
        arguments: [(.off, .ok), (.asked, .ask), (.required, .refuse)]
            as [(ConsentSettings.Mode, ConsentRule.Outcome)])
    func table(mode: ConsentSettings.Mode, lacking: ConsentRule.Outcome) {
        func outcome(_ given: ConsentVersions) -> ConsentRule.Outcome {
            ConsentRule.outcome(mode, current: Self.current, given: given)
        }
        #expect(outcome(Self.current) == .ok)
        for given in Self.others { #expect(outcome(given) == lacking, "\(given)") }
        for given in Self.others + [Self.current] {
            #expect(ConsentRule.outcome(mode, current: nil, given: given) == .ok)
        }
    }

    @Test("a sign-up is refused only where consent is required, and a guest's counts")
    func signUp() throws {
        let none = Acceptance(nil)
        let full = Acceptance(.init(termsVersion: "2", privacyVersion: "b"))
        func settings(_ mode: ConsentSettings.Mode) -> ConsentSettings {
            ConsentSettings(mode: mode, versions: Self.current)
        }
        try settings(.off).require(none)
        try settings(.asked).require(none)
        try settings(.required).require(full)
        let refused = ServiceError(.consentRequired, fields: ["acceptance"])
        #expect(throws: refused) { try settings(.required).require(none) }
        let given = GivenConsents(
            all: [(ConsentKind.terms, "2"), (.privacy, "b")].map {
                GivenConsent(
                    kind: $0.0, version: $0.1, givenAt: Timestamp(milliseconds: 1),
                    withdrawnAt: nil, source: "accept-terms", app: "")
            })
        try settings(.required).require(none, or: given)
        #expect(throws: refused) {
            try settings(.required).require(none, or: GivenConsents(all: []))
        }
    }
}
