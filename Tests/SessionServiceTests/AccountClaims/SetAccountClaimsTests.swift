import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("I-10: an account's claims are in its access tokens, the newest version alone")
struct SetAccountClaimsTests {
    private static let admin = AccountClaims(roles: ["admin"], json: #"{"team":"blue"}"#)
    private static let none = AccountClaims()

    let fixture: SessionFixture
    let account: AccountID

    init() async throws {
        fixture = try await SessionFixture()
        account = try fixture.account()
    }

    /// As identity's outbox delivers it.
    @discardableResult
    private func set(
        _ claims: AccountClaims, version: Int64, of other: AccountID? = nil
    ) async throws -> Bool {
        try await fixture.service.sessions.setAccountClaims(
            .init(
                accountId: (other ?? account).text, version: version, claimsJson: claims.json,
                roles: claims.roles), fixture.context(from: "identity")
        ).changed
    }

    /// What a token has of the account's claims.
    private func shown(_ token: String) async throws -> AccountClaims {
        let answer = try await fixture.service.sessions.introspectToken(
            .init(accessToken: token), fixture.context())
        #expect(answer.active)
        return AccountClaims(roles: answer.roles, json: answer.claimsJson)
    }

    private func open(_ claims: AccountClaims, version: Int64) async throws -> GatewayV1.Session {
        try await fixture.create(fixture.proof(account, claims: claims, version: version))
    }

    @Test("I-10: the first session has those of its proof, and each later token as well")
    func first() async throws {
        let tokens = try await open(Self.admin, version: 5)
        #expect(try await shown(tokens.accessToken) == Self.admin)
        try await fixture.restart()
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(try await shown(child.accessToken) == Self.admin)
        let proof = fixture.proof(account, methods: ["otp"])
        let lifted = try await fixture.reauthenticate(child.accessToken, proof)
        #expect(try await shown(lifted.accessToken) == Self.admin)
        let answer = try await fixture.service.sessions.createSession(
            .init(
                proof: fixture.proof(account),
                device: GatewayV1.Device(deviceId: "d2", platform: "web", brief: true)),
            fixture.context())
        let page = try #require(answer.session)
        #expect(try await shown(page.accessToken) == Self.admin)
        let other = try await fixture.open(try fixture.account(43))
        #expect(try await shown(other.accessToken) == Self.none)
    }

    @Test("a change is in the next token of each open session; tokens say what they said")
    func change() async throws {
        let first = try await fixture.open()
        let second = try await fixture.open()
        #expect(try await set(Self.admin, version: 1))
        #expect(try await shown(first.accessToken) == Self.none)
        let child = try await fixture.refresh(first.refreshToken)
        #expect(try await shown(child.accessToken) == Self.admin)
        #expect(
            try await shown(try await fixture.refresh(second.refreshToken).accessToken)
                == Self.admin)
        #expect(try await set(Self.none, version: 2))
        #expect(try await shown(child.accessToken) == Self.admin)
        let next = try await fixture.refresh(child.refreshToken)
        #expect(try await shown(next.accessToken) == Self.none)
    }

    @Test(
        "deliveries in any order, with restarts between them: the newest version wins",
        arguments: [
            [1, 2, 3], [3, 2, 1], [2, 3, 1], [1, 3, 2], [3, 1, 2], [2, 1, 3], [3, 3, 1, 3],
        ])
    func anyOrder(versions: [Int64]) async throws {
        let tokens = try await fixture.open()
        var known: Int64 = 0
        for version in versions {
            let changed = try await set(
                AccountClaims(roles: ["v\(version)"]), version: version)
            #expect(changed == (version > known))
            known = max(known, version)
            try await fixture.restart()
        }
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(try await shown(child.accessToken).roles == ["v3"])
        #expect(try await shown(try await fixture.open().accessToken).roles == ["v3"])
    }

    @Test("a proof and a delivery in either order: the higher version counts")
    func proofAndDelivery() async throws {
        // The proof has what is not delivered yet: the role was taken away.
        let old = try await open(Self.admin, version: 1)
        let new = try await open(Self.none, version: 2)
        #expect(try await shown(new.accessToken) == Self.none)
        #expect(
            try await shown(try await fixture.refresh(old.refreshToken).accessToken) == Self.none,
            "also in the sessions that were open")
        #expect(try await !set(Self.admin, version: 1))
        #expect(try await shown(try await fixture.open().accessToken) == Self.none)
        // The proof is from before a change that was delivered meanwhile.
        let late = fixture.proof(account, claims: Self.none, version: 2)
        let bare = fixture.proof(account)
        try await set(Self.admin, version: 3)
        for proof in [late, bare] {
            #expect(try await shown(try await fixture.create(proof).accessToken) == Self.admin)
        }
    }

    @Test("G-25: the repeat of a call has the latest claims")
    func repeats() async throws {
        let proof = fixture.proof(account)
        let first = try await fixture.create(proof, key: "k")
        let child = try await fixture.refresh(first.refreshToken, key: "r")
        #expect(try await shown(child.accessToken) == Self.none)
        try await set(Self.admin, version: 1)
        let again = try await fixture.refresh(first.refreshToken, key: "r")
        #expect(again.refreshToken == child.refreshToken)
        #expect(try await shown(again.accessToken) == Self.admin)
        let opened = try await fixture.create(fixture.proof(account), key: "k")
        #expect(opened.sessionId == first.sessionId)
        #expect(try await shown(opened.accessToken) == Self.admin)
    }

    @Test("S-06: a role that is taken away with the sessions does not come back with one of them")
    func atOnce() async throws {
        for isEndFirst in [true, false] {
            let fixture = try await SessionFixture()
            let test = try SetAccountClaimsTests(fixture)
            let old = try await fixture.create(
                fixture.proof(account, generation: 1, claims: Self.admin, version: 1))
            let before = fixture.time.now()
            if !isEndFirst { try await test.set(Self.none, version: 2) }
            let ended = try await fixture.endAccount(
                account, before: before + .milliseconds(1), reason: .revoked, generation: 2)
            #expect(ended == 1 && !fixture.validate(old.accessToken).valid)
            await expectRefused(.sessionEnded) { try await fixture.refresh(old.refreshToken) }
            let early = fixture.proof(
                account, generation: 1, claims: Self.admin, version: 1)
            await expectRefused(.invalidSignInProof) { try await fixture.create(early) }
            let new = try await fixture.create(
                fixture.proof(account, generation: 2, claims: Self.none, version: 2))
            if isEndFirst { #expect(try await !test.set(Self.none, version: 2)) }
            #expect(try await test.shown(new.accessToken) == Self.none)
        }
    }

    private init(_ fixture: SessionFixture) throws {
        self.fixture = fixture
        account = try fixture.account()
    }

    @Test("they are stored sealed, and the flag of a session says whether there are any")
    func stored() async throws {
        _ = try await fixture.open()
        func flagged() async throws -> Int64 {
            try await fixture.number("SELECT count(*) FROM session WHERE has_claims = 1")
        }
        #expect(try await flagged() == 0)
        try await set(
            AccountClaims(roles: ["role-canary"], json: #"{"a":"text-canary"}"#), version: 1)
        #expect(try await flagged() == 1)
        let sealed = try await fixture.store.read { session in
            try session.queryOne("SELECT sealed FROM account_claims") { try $0.blob(0) }
        }
        let text = String(decoding: try #require(sealed), as: UTF8.self)
        #expect(!text.contains("canary"))
        try await set(Self.none, version: 2)
        #expect(try await flagged() == 0)
        #expect(
            try await fixture.number("SELECT version FROM account_claims WHERE sealed IS NULL")
                == 2)
    }

    @Test("G-20: they go with the account, and a late delivery stores nothing")
    func deleted() async throws {
        try await set(Self.admin, version: 1)
        let listed = try await fixture.service.accountData.listAccountsWithData(
            .init(), fixture.context(from: "identity"))
        #expect(listed.accounts == [.init(accountId: account.text, kinds: ["claims"])])
        _ = try await fixture.endAccount(
            account, before: fixture.time.now(), reason: .accountDeleted)
        #expect(try await !set(Self.admin, version: 2))
        let subject = AccountDataV1.DataSubject(accountId: account.text)
        let forgotten = try await fixture.service.accountData.forgetAccountData(
            .init(subject: subject), fixture.context(from: "identity"))
        #expect(forgotten.rows == 1)
        #expect(try await !set(Self.admin, version: 3))
        #expect(try await fixture.number("SELECT count(*) FROM account_claims") == 0)
    }

    @Test("only identity sets them, and only what it would send")
    func refused() async throws {
        let sessions = fixture.service.sessions
        let good = SessionV1.SetAccountClaimsRequest(
            accountId: account.text, version: 1, roles: ["admin"])
        for application in ["gateway", "tool", "notification", ""] {
            await expectRefused(.permissionDenied) {
                try await sessions.setAccountClaims(good, fixture.context(from: application))
            }
        }
        let changes: [(inout SessionV1.SetAccountClaimsRequest) -> Void] = [
            { $0.accountId = "ses_0000000000001" }, { $0.version = 0 }, { $0.version = -1 },
            { $0.roles = ["Admin"] }, { $0.claimsJson = #"{"sub":"x"}"# },
            { $0.claimsJson = "[]" }, { $0.claimsJson = #"{"acr":"aal2"}"# },
        ]
        for (index, change) in changes.enumerated() {
            var request = good
            change(&request)
            await #expect(throws: ServiceError.self, "change \(index)") {
                try await sessions.setAccountClaims(request, fixture.context(from: "identity"))
            }
        }
        #expect(try await fixture.number("SELECT count(*) FROM account_claims") == 0)
    }

    @Test("a proof whose claims identity would not send opens no session")
    func forgedProofs() async throws {
        var forged = fixture.proof(account)
        forged.roles = ["admin"]
        await expectRefused(.invalidSignInProof) { try await fixture.create(forged) }
        forged = fixture.proof(account, claims: Self.admin, version: 1)
        forged.roles.append("root")
        await expectRefused(.invalidSignInProof) { try await fixture.create(forged) }
        for (claims, version) in [
            (AccountClaims(json: #"{"sub":"x"}"#), 1), (AccountClaims(roles: ["A"]), 1),
            (Self.admin, -1), (Self.admin, 0),
        ] as [(AccountClaims, Int64)] {
            let proof = fixture.proof(account, claims: claims, version: version)
            await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
        }
        #expect(try await fixture.number("SELECT count(*) FROM account_claims") == 0)
    }

    @Test("S-01: the operator's claims come before an account's, and the log says so once")
    func operators() async throws {
        let fixture = try await SessionFixture(
            flags: ["--token-claims", #"{"team":"red","level":3}"#])
        let test = try SetAccountClaimsTests(fixture)
        func lines() -> Int {
            fixture.log.lines.count { $0.contains("session.claims.overridden") }
        }
        let harmless = AccountClaims(roles: ["admin"], json: #"{"other":1}"#)
        let first = try await test.open(harmless, version: 1)
        #expect(
            try await test.shown(first.accessToken)
                == AccountClaims(
                    roles: ["admin"], json: #"{"team":"red","level":3,"other":1}"#))
        #expect(lines() == 0)
        for version in 2...4 {
            let tokens = try await test.open(Self.admin, version: Int64(version))
            #expect(
                try await test.shown(tokens.accessToken)
                    == AccountClaims(roles: ["admin"], json: #"{"team":"red","level":3}"#))
        }
        #expect(lines() == 1)
    }
}
