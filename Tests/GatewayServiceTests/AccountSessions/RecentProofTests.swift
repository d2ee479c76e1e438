import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import GatewayService

@Suite("G-13: a proof must be recent and of a demanded kind")
struct RecentProofTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    private func proof(_ amr: [String], age: Int64) -> SessionV1.SessionProof {
        SessionV1.SessionProof(amr: amr, provedAtMs: (now - .milliseconds(age)).milliseconds)
    }

    @Test(
        "G-13: a proof is recent until the last millisecond before the limit",
        arguments: [
            (0, true), (299_999, true), (300_000, false), (9_000_000, false), (-60_000, true),
        ] as [(Int64, Bool)])
    func edge(age: Int64, isRecent: Bool) {
        let found = RecentProof.standard.found(in: [proof(["pwd"], age: age)], at: now)
        #expect((found != nil) == isRecent)
    }

    @Test(
        "G-13: only proofs of a demanded kind count, each by its own age",
        arguments: [
            ([], ["hwk", "user"]), ([.password], ["pwd"]), ([.deviceKey], ["hwk", "user"]),
            ([.password, .deviceKey], ["hwk", "user"]),
        ] as [(Set<ProofKind>, [String])])
    func kinds(demanded: Set<ProofKind>, found: [String]) {
        let proofs = [
            proof(["otp"], age: 250_000), proof(["pwd"], age: 200_000),
            proof(["hwk", "user"], age: 100_000),
        ]
        let demand = RecentProof(within: .seconds(300), kinds: demanded)
        #expect(demand.found(in: proofs, at: now)?.amr == found)
        let narrow = RecentProof(within: .seconds(150), kinds: [.password])
        #expect(narrow.found(in: proofs, at: now) == nil)
        #expect(demand.found(in: [], at: now) == nil)
    }

    @Test(
        "G-13: authentication methods map to kinds of proof",
        arguments: [
            (["pwd"], [.password]), (["hwk", "user"], [.deviceKey]),
            (["swk", "user"], [.deviceKey]),
            (["hwk"], []), (["user"], []), (["otp"], []), (["pwd", "otp"], [.password]), ([], []),
            (["fed"], [.provider]), (["sms", "otp"], [.phoneCode]), (["anon"], []),
        ] as [([String], [ProofKind])])
    func methods(_ methods: [String], kinds: [ProofKind]) {
        #expect(ProofKind.allCases.filter { $0.includes(methods) } == kinds)
    }

    @Test("G-13: opening a guest account is no proof, however recent (G-07)")
    func guest() {
        let guest = proof(["anon"], age: 0)
        #expect(RecentProof.standard.found(in: [guest], at: now) == nil)
        let owner = proof(["fed"], age: 1_000)
        #expect(RecentProof.standard.found(in: [guest, owner], at: now)?.amr == ["fed"])
    }

    @Test(
        "G-13: each sign-in method makes one kind of proof",
        arguments: [
            ("password", .password), ("phone", .phoneCode), ("google", .provider),
            ("apple", .provider), ("our-own", .provider),
        ] as [(String, ProofKind)])
    func ways(method: String, kind: ProofKind) {
        let kinds = Set<ProofKind>(methods: [SignInMethod(name: method)], hasDeviceKey: false)
        #expect(kinds == [kind])
    }

    @Test(
        "G-13: the error names the demanded kinds that the account has",
        arguments: [
            ([], [.password, .deviceKey], ["device_key", "password"]),
            ([.password], [.password, .deviceKey], ["password"]),
            ([.deviceKey], [.password], []), ([], [], []),
        ] as [(Set<ProofKind>, Set<ProofKind>, [String])])
    func refusal(demanded: Set<ProofKind>, having: Set<ProofKind>, named: [String]) {
        let error = RecentProof(within: .seconds(60), kinds: demanded).refusal(having: having)
        #expect(error.code == .requiresRecentLogin && error.acceptableProofs == named)
        #expect(error.code.entry.next == .reauthenticate)
    }

    @Test("G-13: an unknown kind is rejected")
    func unknown() {
        #expect(ProofKind(.unspecified) == nil)
        #expect(ProofKind(GatewayV1.ProofKind(rawValue: 99)) == nil)
    }
}
