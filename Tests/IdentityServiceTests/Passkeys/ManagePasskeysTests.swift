import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-01, G-14: an owner renames and removes passkeys", .timeLimit(.minutes(1)))
struct ManagePasskeysTests {
    @Test("F-01: a removal ends the other sessions and tells the owner")
    func removes() async throws {
        let person = try await PasskeyPerson()
        let added = try await person.add()
        #expect(try await person.remove(added.passkeyId, key: "k").isEmpty)
        #expect(try await person.remove(added.passkeyId, key: "k").isEmpty)
        try await person.identity.relay()
        let end = try #require(person.identity.sessions.ended.last)
        #expect(end.exceptSessionId == person.identity.devices.session(of: person.token))
        #expect(person.identity.templates.contains("method-removed"))
        #expect(try await person.identity.audited("passkey.removed") == 1)
    }

    @Test("Attack: another account's passkey is neither renamed nor removed by its id")
    func others() async throws {
        let person = try await PasskeyPerson()
        let added = try await person.add(name: "Ada's")
        let eve = person.identity.devices.open(
            try await person.identity.registerProved("eve@example.org").accountId)
        for id in [added.passkeyId, "pky_0000000000001", "x"] {
            #expect(
                try await refusal { try await person.rename(id, to: "Eve's", in: eve) }.code
                    == .notFound)
            #expect(try await refusal { try await person.remove(id, in: eve) }.code == .notFound)
        }
        #expect(try await person.list().passkeys == [added])
    }

    @Test("F-01: a name has 1 to 64 bytes, and is kept")
    func renames() async throws {
        let person = try await PasskeyPerson()
        let added = try await person.add()
        #expect(try await person.rename(added.passkeyId, to: "Phone").name == "Phone")
        #expect(try await person.list().passkeys.map(\.name) == ["Phone"])
        for name in ["", String(repeating: "x", count: 65), "a\nb"] {
            let error = try await refusal { try await person.rename(added.passkeyId, to: name) }
            #expect(error.code == .invalidArgument && error.fields == ["name"])
        }
        _ = try await person.signIn()
        #expect(try await person.identity.audited("passkey.renamed") == 1)
    }

    @Test(
        "G-14: the last way to sign in stays, and so does the last second factor that is required",
        arguments: [
            ([.password, .passkey], 0, 0, false, false, nil),
            ([.passkey], 0, 0, false, false, .lastMethod), ([.passkey], 1, 1, false, false, nil),
            ([.passkey], 0, 0, true, true, .lastMethod),
            ([.password, .passkey], 0, 0, false, true, .lastSecondFactor),
            ([.password, .passkey], 1, 0, false, true, .lastSecondFactor),
            ([.password, .passkey], 1, 1, false, true, nil),
            ([.password, .passkey], 0, 0, true, true, nil),
        ] as [([SignInMethod], Int, Int, Bool, Bool, ErrorCode?)])
    func rule(
        methods: [SignInMethod], left: Int, usable: Int, hasFactor: Bool, isFactor: Bool,
        code: ErrorCode?
    ) {
        #expect(
            PasskeyRemovalRule.refusal(
                methods: methods, passkeysLeft: left, usableLeft: usable,
                hasSecondFactor: hasFactor, isFactor: isFactor) == code)
    }

    @Test("G-14: the list of methods has passkeys once, and UnlinkMethod names RemovePasskey")
    func methods() async throws {
        let person = try await PasskeyPerson()
        try await person.add(name: "Phone")
        // They are listed in the order of their times.
        person.identity.time.advance(by: .seconds(1))
        try await person.add(try TestPasskey(randomness: person.identity.randomness), name: "Key")
        let handler = person.identity.identities
        let list = GatewayV1.ListSignInMethodsRequest()
        let listed = try await handler.listSignInMethods(
            list,
            handler.call(
                SignInMethodsDescription.listSignInMethods, list,
                person.identity.relayed(person.token)))
        #expect(listed.methods.map(\.method).sorted() == ["passkey", "password"])
        #expect(listed.methods.first { $0.method == "passkey" }?.hint == "Phone, Key")
        let error = try await refusal {
            try await person.identity.unlink("passkey", in: person.token)
        }
        #expect(error.code == .invalidArgument && error.fields == ["method"])
    }

    @Test("F-03: with a passkey the last app may go, and the recovery codes stay")
    func lastApp() async throws {
        let person = try await PasskeyPerson(secondFactor: .required)
        try await person.add()
        _ = try await person.identity.plantFactor(in: person.account)
        person.identity.devices.proveAgain(
            person.token, amr: Authentication.softwarePasskey.amr)
        let handler = person.identity.service.core.secondFactors
        let factor = try await person.identity.store.read { session in
            try session.query("SELECT factor FROM second_factors") { try $0.integer(0) }
        }
        let request = GatewayV1.RemoveSecondFactorRequest(
            factorId: try #require(factor.first.flatMap { FactorID(key: $0)?.text }),
            device: IdentityFixture.device)
        _ = try await handler.removeSecondFactor(
            request,
            handler.call(
                SecondFactorsDescription.removeSecondFactor, request,
                person.identity.relayed(person.token)))
        #expect(try await person.identity.count("recovery_codes") == 10)
        let id = try #require(try await person.list().passkeys.first?.passkeyId)
        #expect(try await refusal { try await person.remove(id) }.code == .lastSecondFactor)
    }

    @Test("X-04: the owner of an unverified address takes the account without its passkeys")
    func takeover() async throws {
        let person = try await PasskeyPerson()
        let identity = person.identity
        let stranger = try #require(try await identity.register("eve@example.org").account)
        let session = identity.devices.open(stranger.accountId)
        let planted = try TestPasskey(randomness: identity.randomness)
        try await person.add(planted, in: session)
        _ = try await identity.signIn("eve@example.org")
        let token = try await identity.resetToken("eve@example.org")
        _ = try await identity.reset(token)
        #expect(try await refusal { try await person.signIn(planted) }.code == .unknownPasskey)
    }

    @Test("F-01: a reset of a verified account leaves its passkeys")
    func reset() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        _ = try await person.identity.reset(try await person.identity.resetToken())
        _ = try await person.signIn()
    }

    @Test("I-09: an operator removes all passkeys; support never the only second factor")
    func operators() async throws {
        for mode in [SecondFactorSettings.Mode.optional, .required] {
            let person = try await PasskeyPerson(secondFactor: mode)
            try await person.add()
            let row = try await person.identity.store.read { session in
                try session.passkeys(of: try #require(AccountID(text: person.account)))
            }
            #expect(row.count == 1)
            let handler = person.identity.service.life.accountAdmin
            if mode == .required {
                let refused = try await refusal {
                    try await support(of: person).removeAccountPasskeys(
                        .init(accountId: person.account), person.identity.context())
                }
                #expect(refused.code == .lastSecondFactor)
            }
            let removed = try await handler.removeAccountPasskeys(
                .init(accountId: person.account),
                person.identity.context(application: "tool"))
            #expect(removed.removed == 1)
            #expect(try await refusal { try await person.signIn() }.code == .unknownPasskey)
            try await person.identity.relay()
            #expect(person.identity.templates.contains("method-removed"))
        }
    }

    /// The handler where the operator lets applications administer accounts.
    private func support(of person: PasskeyPerson) -> AccountAdminHandler {
        let admin = person.identity.service.life.accountAdmin
        var settings = admin.settings
        settings.accountAdmins = [CallContext.gateway]
        return AccountAdminHandler(
            settings: settings, store: admin.store, writer: admin.writer, time: admin.time,
            answers: admin.answers, logger: admin.logger, deletions: admin.deletions,
            guests: admin.guests, history: admin.history, orphans: admin.orphans)
    }
}
