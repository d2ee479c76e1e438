import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import GatewayService

@Suite("G-13, F-04: a proof must be recent, of a demanded kind, and strong enough")
struct RecentProofTests {
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    private func proof(_ amr: [String], age: Int64) -> SessionV1.SessionProof {
        SessionV1.SessionProof(amr: amr, provedAtMs: (now - .milliseconds(age)).milliseconds)
    }

    /// What an account has, without a device key or providers that vouch.
    private func available(
        _ methods: [SignInMethod], factors: Set<ProofKind> = [], strong: Set<String> = [],
        hasDeviceKey: Bool = false
    ) -> AvailableProofs {
        AvailableProofs(
            methods: methods, hasSecondFactor: !factors.isEmpty, factors: factors,
            strongProviders: strong, hasDeviceKey: hasDeviceKey)
    }

    @Test(
        "G-13: a proof is recent until the last millisecond before the limit",
        arguments: [
            (0, true), (299_999, true), (300_000, false), (9_000_000, false), (-60_000, true),
        ] as [(Int64, Bool)])
    func edge(age: Int64, isRecent: Bool) {
        let found = RecentProof.standard.found(
            in: [proof(["pwd"], age: age)], highest: .aal1, at: now)
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
        let demand = RecentProof(
            within: .seconds(300), kinds: demanded, assurance: .atLeast(.aal1))
        #expect(demand.found(in: proofs, highest: .aal1, at: now)?.amr == found)
        let narrow = RecentProof(
            within: .seconds(150), kinds: [.password], assurance: .atLeast(.aal1))
        #expect(narrow.found(in: proofs, highest: .aal1, at: now) == nil)
        #expect(demand.found(in: [], highest: .aal1, at: now) == nil)
    }

    @Test(
        "F-04: of an account with a factor only a recent proof by two counts, whichever kind it is",
        arguments: [
            (["pwd"], 0, Assurance.aal1, true), (["pwd"], 0, .aal2, false),
            (["fed"], 0, .aal2, false), (["hwk", "user"], 0, .aal2, false),
            (["sms", "otp", "pwd"], 0, .aal2, false),
            (["otp", "totp", "mfa"], 299_999, .aal2, true),
            (["otp", "totp", "mfa"], 300_000, .aal2, false),
            (["pwd", "otp", "totp", "mfa"], 0, .aal2, true),
            (["otp", "recovery", "mfa"], 0, .aal2, true), (["fed", "mfa"], 0, .aal2, true),
            (["otp", "totp", "mfa"], 0, .aal1, true),
        ] as [([String], Int64, Assurance, Bool)])
    func highest(amr: [String], age: Int64, reachable: Assurance, isFound: Bool) {
        let found = RecentProof.standard.found(
            in: [proof(amr, age: age)], highest: reachable, at: now)
        #expect((found != nil) == isFound)
    }

    @Test("F-04: an old second proof and a new password are no recent second proof")
    func mixed() {
        let proofs = [
            proof(["pwd", "otp", "totp", "mfa"], age: 3_600_000), proof(["pwd"], age: 1_000),
        ]
        #expect(RecentProof.standard.found(in: proofs, highest: .aal2, at: now) == nil)
        let password = RecentProof(
            within: .seconds(300), kinds: [.password], assurance: .atLeast(.aal2))
        #expect(
            password.found(in: proofs, highest: .aal2, at: now) == nil,
            "one proof must satisfy all")
    }

    @Test("F-04: a demand that names its assurance does not ask what the account can reach")
    func least() {
        let demand = RecentProof(within: .seconds(300), assurance: .atLeast(.aal1))
        for reachable in Assurance.allCases {
            #expect(
                demand.found(in: [proof(["pwd"], age: 0)], highest: reachable, at: now) != nil)
        }
    }

    @Test(
        "G-13: authentication methods map to kinds of proof",
        arguments: [
            (["pwd"], [.password]), (["hwk", "user"], [.deviceKey]),
            (["swk", "user"], [.deviceKey]),
            (["hwk"], []), (["user"], []), (["otp"], []), (["pwd", "otp"], [.password]), ([], []),
            (["fed"], [.provider]), (["sms", "otp"], [.phoneCode]), (["anon"], []),
            (["fed", "mfa"], [.provider]), (["otp", "totp", "mfa"], [.totp]), (["totp"], []),
            (["otp", "recovery", "mfa"], [.recoveryCode]),
            (["pwd", "otp", "totp", "mfa"], [.password, .totp]),
            (["pop", "hwk", "user", "mfa"], [.passkey]),
            (["pop", "swk", "user", "mfa"], [.passkey]),
            (["pwd", "pop", "swk", "user", "mfa"], [.password, .passkey]),
            (["pop", "hwk", "user"], []),
        ] as [([String], [ProofKind])])
    func methods(_ methods: [String], kinds: [ProofKind]) {
        #expect(ProofKind.allCases.filter { $0.includes(methods) } == kinds)
    }

    @Test("G-13: opening a guest account is no proof, however recent (G-07)")
    func guest() {
        let guest = proof(["anon"], age: 0)
        #expect(RecentProof.standard.found(in: [guest], highest: .aal1, at: now) == nil)
        let owner = proof(["fed"], age: 1_000)
        #expect(
            RecentProof.standard.found(in: [guest, owner], highest: .aal1, at: now)?.amr == ["fed"])
    }

    @Test(
        "G-13: each sign-in method makes one kind of proof",
        arguments: [
            ("password", .password), ("phone", .phoneCode), ("google", .provider),
            ("apple", .provider), ("our-own", .provider),
        ] as [(String, ProofKind)])
    func ways(method: String, kind: ProofKind) {
        #expect(available([SignInMethod(name: method)]).kinds == [kind: .aal1])
    }

    @Test("F-04: what an account has says which proofs it can give, and how strong they are")
    func availableProofs() {
        let without = available([.password, .provider("google")], hasDeviceKey: true)
        #expect(without.kinds == [.password: .aal1, .provider: .aal1, .deviceKey: .aal1])
        #expect(without.highest == .aal1)
        let with = available([.password], factors: [.totp, .recoveryCode])
        #expect(with.kinds == [.password: .aal1, .totp: .aal2, .recoveryCode: .aal2])
        #expect(with.highest == .aal2)
        let strong = available([.provider("own"), .provider("google")], strong: ["own"])
        #expect(strong.kinds == [.provider: .aal2])
        #expect(strong.highest == .aal1, "the provider's second factor is not the account's")
        let later = AvailableProofs(
            methods: [.password], hasSecondFactor: true, factors: [], strongProviders: [],
            hasDeviceKey: false)
        #expect(later.highest == .aal2, "a factor of a kind that is not known here")
    }

    @Test("F-01: a passkey is a proof of aal2, and raises nothing unless it is the second factor")
    func passkey() {
        func available(_ isFactor: Bool) -> AvailableProofs {
            AvailableProofs(
                methods: [.password, .passkey], hasSecondFactor: isFactor, factors: [.passkey],
                strongProviders: [], hasDeviceKey: false)
        }
        for isFactor in [false, true] {
            let own = available(isFactor)
            #expect(own.kinds == [.password: .aal1, .passkey: .aal2])
            #expect(own.highest == (isFactor ? .aal2 : .aal1))
            #expect(AvailableProofs(own.messages, hasDeviceKey: false) == own)
        }
        let unusable = AvailableProofs(
            methods: [.password, .passkey], hasSecondFactor: false, factors: [],
            strongProviders: [], hasDeviceKey: false)
        #expect(unusable.kinds == [.password: .aal1], "of another domain")
    }

    @Test("F-04: what identity says of an account is read back, but for what is not known here")
    func messages() {
        let own = available([.password, .phone], factors: [.totp], hasDeviceKey: false)
        #expect(AvailableProofs(own.messages, hasDeviceKey: false) == own)
        let read = AvailableProofs(
            [
                .init(kind: .password, acr: "aal9"), .init(kind: .unspecified, acr: "aal2"),
                .init(kind: GatewayV1.ProofKind(rawValue: 99), acr: "aal1"),
            ], hasDeviceKey: true)
        #expect(read.kinds == [.deviceKey: .aal1])
    }

    @Test(
        "G-13: the error names the demanded kinds that the account has",
        arguments: [
            ([], ["device_key", "password"]), ([.password], ["password"]), ([.phoneCode], []),
        ] as [(Set<ProofKind>, [String])])
    func refusal(demanded: Set<ProofKind>, named: [String]) {
        let demand = RecentProof(
            within: .seconds(60), kinds: demanded, assurance: .atLeast(.aal1))
        let error = demand.refusal(having: available([.password], hasDeviceKey: true))
        #expect(error.code == .requiresRecentLogin && error.acceptableProofs == named)
        #expect(error.code.entry.next == .reauthenticate)
    }

    @Test("F-04: the error names only the kinds that are strong enough")
    func strongRefusal() {
        let two = RecentProof(within: .seconds(60), assurance: .atLeast(.aal2))
        func named(_ demand: RecentProof, _ available: AvailableProofs) -> [String] {
            demand.refusal(having: available).acceptableProofs
        }
        let with = available([.password, .phone], factors: [.totp, .recoveryCode])
        #expect(named(two, with) == ["recovery_code", "totp_code"])
        #expect(named(.standard, with) == ["recovery_code", "totp_code"])
        let without = available([.password, .phone], hasDeviceKey: true)
        #expect(named(two, without) == [], "it has no second factor")
        #expect(named(.standard, without) == ["device_key", "password", "phone_code"])
        let strong = available([.password, .provider("own")], strong: ["own"])
        #expect(named(two, strong) == ["provider_token"])
        let password = RecentProof(
            within: .seconds(60), kinds: [.password], assurance: .atLeast(.aal2))
        #expect(named(password, with) == [], "only a sign-in by both would do")
    }

    @Test("G-13: an unknown kind is rejected")
    func unknown() {
        #expect(ProofKind(.unspecified) == nil)
        #expect(ProofKind(GatewayV1.ProofKind(rawValue: 99)) == nil)
    }
}
