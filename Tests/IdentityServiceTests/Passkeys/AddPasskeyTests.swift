import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-01: the owner of an account adds passkeys", .timeLimit(.minutes(1)))
struct AddPasskeyTests {
    @Test("F-01: a passkey is added, listed, and one of the account's methods")
    func adds() async throws {
        let person = try await PasskeyPerson()
        let options = try await person.beginAdd()
        #expect(options.rp?.id == "example.org" && options.attestation == "none")
        #expect(options.user?.name == "ada@example.org")
        #expect(options.pubKeyCredParams.map(\.alg) == [-7, -8, -257])
        #expect(options.authenticatorSelection?.residentKey == "required")
        #expect(options.authenticatorSelection?.userVerification == "required")
        let added = try await person.add()
        #expect(added.passkeyId.hasPrefix("pky_") && added.isBackedUp && !added.isUnusable)
        let listed = try await person.list()
        #expect(listed.passkeys == [added] && listed.rpId == "example.org")
        #expect(listed.userHandle == options.user?.id)
        #expect(try await person.identity.audited("passkey.added") == 1)
        let answer = try await person.signIn()
        #expect(answer.account?.methods == ["password", "passkey"])
        let excluded = try await person.beginAdd().excludeCredentials
        #expect(excluded.map(\.id) == [added.credentialId])
        #expect(excluded.first?.transports == ["internal"])
    }

    @Test("F-01: the name is the person's, or the authenticator's, or the device's")
    func names() async throws {
        let person = try await PasskeyPerson()
        #expect(try await person.add(name: "My key").name == "My key")
        var ceremony = TestCeremony(challenge: try await person.beginAdd().challenge)
        ceremony.aaguid = [
            0xD5, 0x48, 0x82, 0x6E, 0x79, 0xB4, 0xDB, 0x40, 0xA3, 0xD8, 0x11, 0x11, 0x6F, 0x7E,
            0x83, 0x49,
        ]
        let second = try TestPasskey(randomness: person.identity.randomness)
        let added = try await person.add(ceremony, of: second)
        #expect(added.passkey?.name == "Bitwarden")
        let third = try TestPasskey(randomness: person.identity.randomness)
        #expect(try await person.add(third).name == "cli")
        let long = String(repeating: "x", count: 65)
        let error = try await refusal { try await person.add(third, name: long) }
        #expect(error.code == .invalidArgument && error.fields == ["name"])
    }

    @Test("F-01: a challenge adds once, in its session, and not for a sign-in or another account")
    func challenges() async throws {
        let person = try await PasskeyPerson()
        func code(_ challenge: String, in session: String? = nil) async throws -> ErrorCode {
            try await refusal {
                try await person.add(TestCeremony(challenge: challenge), in: session)
            }.code
        }
        let challenge = try await person.beginAdd().challenge
        let other = person.identity.devices.open(person.account)
        #expect(try await code(challenge, in: other) == .invalidPasskey)
        #expect(try await code(person.signInChallenge()) == .invalidPasskey)
        try await person.add(TestCeremony(challenge: challenge))
        let second = try TestPasskey(randomness: person.identity.randomness)
        let again = try await refusal {
            try await person.add(TestCeremony(challenge: challenge), of: second)
        }
        #expect(again.code == .invalidPasskey)
        let late = try await person.beginAdd().challenge
        person.identity.time.advance(by: .seconds(600))
        person.identity.devices.proveAgain(person.token, amr: ["pwd"])
        let expired = try await refusal {
            try await person.add(TestCeremony(challenge: late), of: second)
        }
        #expect(expired.code == .invalidPasskey)
        #expect(
            try await person.identity.audited(
                "passkey.refused", outcome: "auth/invalid-passkey") == 4)
    }

    @Test("F-01: UP and UV may be unset for a passkey that the browser adds by itself alone")
    func automatic() async throws {
        let person = try await PasskeyPerson()
        var plain = TestCeremony(challenge: try await person.beginAdd().challenge)
        plain.flags = 0x18
        let refused = plain
        #expect(try await refusal { try await person.add(refused) }.code == .invalidPasskey)
        let options = try await person.beginAdd(automatic: true)
        #expect(options.authenticatorSelection?.userVerification == "preferred")
        var automatic = TestCeremony(challenge: options.challenge)
        automatic.flags = 0x18
        try await person.add(automatic)
        var signIn = TestCeremony(challenge: try await person.signInChallenge())
        signIn.flags = 0x19
        let unverified = signIn
        #expect(try await refusal { try await person.signIn(unverified) }.code == .invalidPasskey)
        _ = try await person.signIn()
    }

    @Test("F-01: a credential belongs to one account, and an account has 20 at most")
    func bounds() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        let eve = person.identity.devices.open(
            try await person.identity.registerProved("eve@example.org").accountId)
        let taken = try await refusal { try await person.add(person.passkey, in: eve) }
        #expect(taken.code == .credentialAlreadyInUse)
        let open = try await person.beginAdd().challenge
        for _ in 1..<PasskeyRow.countMax {
            try await person.add(try TestPasskey(randomness: person.identity.randomness))
        }
        #expect(try await refusal { try await person.beginAdd() }.code == .passkeyQuota)
        let next = try TestPasskey(randomness: person.identity.randomness)
        let full = try await refusal {
            try await person.add(TestCeremony(challenge: open), of: next)
        }
        #expect(full.code == .passkeyQuota)
        #expect(try await person.identity.count("passkeys") == Int64(PasskeyRow.countMax))
    }

    @Test("F-01: it needs a proof of the last five minutes, is not for guests, and may be off")
    func doors() async throws {
        let person = try await PasskeyPerson()
        let guest = try await person.identity.guest().token
        #expect(
            try await refusal { try await person.beginAdd(in: guest) }.code == .operationNotAllowed)
        person.identity.time.advance(by: .seconds(300))
        #expect(try await refusal { try await person.beginAdd() }.code == .requiresRecentLogin)
        let off = try await PasskeyPerson(domain: nil)
        for code in [
            try await refusal { try await off.beginAdd() }.code,
            try await refusal { try await off.signInChallenge() }.code,
            try await refusal { try await off.beginProof(in: off.token) }.code,
        ] { #expect(code == .operationNotAllowed) }
        #expect(try await off.list().passkeys.isEmpty)
    }

    @Test("G-25: a repeat gets the passkey again, also after its proof became too old")
    func repeats() async throws {
        let person = try await PasskeyPerson(secondFactor: .required)
        let ceremony = TestCeremony(challenge: try await person.beginAdd().challenge)
        let first = try await person.add(ceremony, key: "k")
        #expect(first.recoveryCodes.count == RecoveryCode.count)
        // The first factor has raised what a change needs.
        #expect(try await refusal { try await person.beginAdd() }.code == .requiresRecentLogin)
        let again = try await person.add(ceremony, key: "k")
        #expect(again.passkey == first.passkey && again.recoveryCodes.isEmpty)
        #expect(try await person.identity.count("passkeys") == 1)
    }

    @Test("N-01: the mail about a new passkey has a link, unless a factor or passkey confirmed it")
    func mails() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        try await person.identity.relay()
        let link = try await person.identity.notMeToken("method-added")
        person.identity.time.advance(by: .seconds(1))
        person.identity.devices.proveAgain(person.token, amr: Authentication.softwarePasskey.amr)
        try await person.add(try TestPasskey(randomness: person.identity.randomness))
        try await person.identity.relay()
        let mail = try #require(
            person.identity.notifications.mails.last { $0.template == "method-added" })
        #expect(mail.variables.first { $0.name == "not-me-link" }?.value.isEmpty != false)
        // The first one may have confirmed the second one: both go.
        try await person.identity.disown(link)
        #expect(try await person.identity.count("passkeys") == 0)
        #expect(try await person.identity.audited("passkey.removed") == 2)
    }

    @Test("Attack: the link about a passkey that a thief removes goes over to the next one")
    func passesOn() async throws {
        let person = try await PasskeyPerson()
        let own = try await person.add()
        try await person.identity.relay()
        person.identity.time.advance(by: .seconds(600))
        let thief = person.identity.devices.open(person.account)
        let first = try await person.add(
            try TestPasskey(randomness: person.identity.randomness), in: thief)
        let link = try await person.identity.notMeToken("method-added")
        person.identity.devices.proveAgain(thief, amr: Authentication.softwarePasskey.amr)
        person.identity.time.advance(by: .seconds(1))
        try await person.add(
            try TestPasskey(randomness: person.identity.randomness), in: thief)
        try await person.remove(first.passkeyId, in: thief)
        try await person.identity.disown(link)
        let left = try await person.identity.store.read { session in
            try session.query("SELECT passkey FROM passkeys") { try $0.integer(0) }
        }
        #expect(left == [PasskeyID(text: own.passkeyId)?.key])
    }
}
