import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-10: claims of accounts are stored, sent and proved", .timeLimit(.minutes(1)))
struct SetClaimsTests {
    let fixture: IdentityFixture
    let ada: AccountID

    init() async throws {
        fixture = try IdentityFixture()
        let account = try #require(try await fixture.register().account)
        ada = try #require(AccountID(text: account.accountId))
        try await fixture.relay()
    }

    private func set(
        _ roles: [String], _ json: String = "", base: Int64? = nil, ending: Bool = false
    ) async throws -> Int64 {
        let claims = try AccountClaims.checked(roles: roles, json: json)
        return try await fixture.setClaims(claims, of: ada, base: base, ending: ending)
    }

    private func proof() async throws -> IdentityV1.SignInProof {
        try #require(try await fixture.signIn().proof)
    }

    private func shownRoles() async throws -> [String] {
        try #require(
            try await fixture.accounts.getAccount(
                .init(accountId: ada.text), fixture.context()
            ).account
        ).roles
    }

    @Test("I-10: they are sealed in the row and on the way, and the owner's screens have the roles")
    func stored() async throws {
        #expect(try await shownRoles() == [])
        let version = try await set(["admin", "staff"], #"{"team":"blue-canary"}"#)
        #expect(version == fixture.time.now().milliseconds)
        #expect(try await shownRoles() == ["admin", "staff"])
        let columns = try await fixture.store.read { session -> [[UInt8]] in
            let rows = try session.query("SELECT document, roles FROM custom_claims") {
                try $0.blob(0) + $0.blob(1)
            }
            return try rows + session.query("SELECT payload FROM outbox") { try $0.blob(0) }
        }
        #expect(columns.count == 2)
        for column in columns {
            let text = String(decoding: column, as: UTF8.self)
            #expect(!text.contains("canary") && !text.contains("staff"))
        }
        try await fixture.relay()
        #expect(
            fixture.sessions.claims == [
                .init(
                    accountId: ada.text, version: version,
                    claimsJson: #"{"team":"blue-canary"}"#, roles: ["admin", "staff"])
            ])
        #expect(fixture.sessions.ended == [])
    }

    @Test("each change has a higher version, and replaces only the version that it names")
    func versions() async throws {
        let first = try await set(["a"], base: 0)
        let second = try await set(["b"], base: first)
        #expect(second == first + 1, "within the same millisecond")
        for base in [0, first, second + 1] {
            let error = try await refusal { try await set(["c"], base: base, ending: true) }
            #expect(error.code == .documentConflict && error.fields == ["base_version"])
            #expect(error.currentVersion == second)
        }
        #expect(try await shownRoles() == ["b"])
        #expect(try await fixture.count("outbox", where: "topic = 'account-claims'") == 2)
        #expect(try await fixture.count("outbox", where: "topic = 'end-account'") == 0)
        let third = try await set(["c"])
        #expect(third == second + 1, "without a base it replaces any")
        try await fixture.relay()
        #expect(fixture.sessions.claims.map(\.version) == [first, second, third], "in their order")
    }

    @Test("an account that does not exist has none")
    func unknown() async throws {
        let other = try #require(AccountID(key: 4_711))
        let error = try await refusal {
            try await fixture.setClaims(AccountClaims(roles: ["a"]), of: other)
        }
        #expect(error.code == .notFound)
    }

    @Test("a sign-in's proof has them before they are delivered, also that they were taken away")
    func proofs() async throws {
        let before = try await proof()
        #expect(before.claimsVersion == 0 && before.roles == [] && before.claimsJson == "")
        let version = try await set(["admin"], #"{"team":"blue"}"#)
        let with = try await proof()
        #expect(with.claimsVersion == version && with.roles == ["admin"])
        #expect(with.claimsJson == #"{"team":"blue"}"#)
        let later = try await set([])
        let without = try await proof()
        #expect(without.claimsVersion == later && without.roles == [] && without.claimsJson == "")
        #expect(fixture.sessions.claims == [])
    }

    @Test("the MAC of a proof covers them: a gateway can neither give, take nor move a claim")
    func sealed() async throws {
        let bare = try await proof()
        _ = try await set(["a", "b"], #"{"team":"blue"}"#)
        let sealed = try await proof()
        let seal = fixture.keys.proofs
        #expect(seal.isGenuine(bare) && seal.isGenuine(sealed))
        let changes: [(inout IdentityV1.SignInProof) -> Void] = [
            { $0.roles.append("admin") }, { $0.roles = ["a"] }, { $0.roles = ["a b"] },
            { $0.roles = ["b", "a"] }, { $0.roles = [] }, { $0.claimsJson = "" },
            { $0.claimsJson = #"{"team":"red"}"# }, { $0.claimsVersion += 1 },
            { $0.claimsVersion = 0 }, { $0.claimsVersion = -1 },
            { proof in
                proof.roles = ["a"]
                proof.claimsJson = "b" + proof.claimsJson
            },
            { proof in
                (proof.claimsVersion, proof.claimsJson, proof.roles) = (0, "", [])
            },
        ]
        for (index, change) in changes.enumerated() {
            var proof = sealed
            change(&proof)
            #expect(!seal.isGenuine(proof), "change \(index)")
        }
        var given = bare
        (given.claimsVersion, given.roles) = (1, ["admin"])
        #expect(!seal.isGenuine(given))
    }

    @Test("at once: the sessions end in the same transaction, and the next proof is from after it")
    func atOnce() async throws {
        let generation = try await proof().sessionGeneration
        let version = try await set([], ending: true)
        let next = try await proof()
        #expect(next.sessionGeneration > generation && next.claimsVersion == version)
        try await fixture.relay()
        let end = try #require(fixture.sessions.ended.first)
        #expect(fixture.sessions.ended.count == 1 && end.reason == .revoked)
        #expect(end.accountId == ada.text && end.sessionGeneration == next.sessionGeneration)
        #expect(fixture.sessions.claims.map(\.version) == [version])
    }

    @Test("G-20: once a deletion has begun, session gets none")
    func deleting() async throws {
        _ = try await set(["admin"])
        try await fixture.change(
            "UPDATE accounts SET status = ?", [.integer(AccountStatus.deleting.rawValue)])
        try await fixture.relay()
        #expect(fixture.sessions.claims == [])
    }

    @Test("identity killed between commit and delivery: the next start delivers all, in order")
    func killed() async throws {
        let first = try await set(["a"])
        let second = try await set(["b"])
        fixture.store.close()
        let next = try IdentityFixture(folder: fixture.folder, time: fixture.time, seed: 2)
        let proof = try #require(try await next.signIn().proof)
        #expect(proof.roles == ["b"] && proof.claimsVersion == second)
        try await next.relay()
        #expect(next.sessions.claims.map(\.version) == [first, second])
        #expect(next.sessions.claims.map(\.roles) == [["a"], ["b"]])
    }

    @Test("a proof of re-authentication has none: its session is known")
    func reauthentication() async throws {
        _ = try await set(["admin"])
        let answer = try await fixture.accounts.proveByPassword(
            .init(
                reauthentication: .init(
                    device: IdentityFixture.device, proof: .password("Correct7Horse"))),
            fixture.relayed(fixture.devices.open(ada.text)))
        let proof = try #require(answer.proof)
        #expect(proof.claimsVersion == 0 && proof.roles == [])
    }
}

extension IdentityFixture {
    /// Sets an account's claims, as a backend's call does.
    @discardableResult
    func setClaims(
        _ claims: AccountClaims, of account: AccountID, base: Int64? = nil, ending: Bool = false
    ) async throws -> Int64 {
        let writer = AccountClaimsWriter(writer: writer)
        return try await store.write(about: [.account(account)]) {
            try writer.set(claims, of: account, base: base, endSessions: ending, $0)
        }
    }
}
