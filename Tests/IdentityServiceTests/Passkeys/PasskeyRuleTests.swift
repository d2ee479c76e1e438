import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("F-01: the rule of passkeys")
struct PasskeyRuleTests {
    private let stage: PasskeyStage

    init() throws { stage = try PasskeyStage() }

    private func refusal(_ body: () throws -> Void) -> PasskeyRefusal? {
        do {
            try body()
            return nil
        } catch {
            return error as? PasskeyRefusal
        }
    }

    @Test("each thing that is wrong is refused for its own reason, in each ceremony that has it")
    func mutations() throws {
        let mutations = PasskeyMutation.all
        #expect(mutations.count >= 100)
        #expect(Set(mutations.map(\.name)).count == mutations.count)
        for mutation in mutations {
            if let response = mutation.registration(
                of: stage.passkey, in: stage.ceremony(stage.adding))
            {
                let found = refusal { _ = try stage.add(response) }
                #expect(found == mutation.refusal, "registration: \(mutation.name)")
            }
            if let response = try mutation.assertion(
                by: stage.passkey, in: stage.ceremony(.signIn))
            {
                let found = refusal { _ = try stage.use(response) }
                #expect(found == mutation.refusal, "assertion: \(mutation.name)")
            }
        }
    }

    @Test("each reason is one that something is refused for")
    func reasons() {
        // By the moment and by what was asked for; the one of used challenges is the store's.
        let others: Set<PasskeyRefusal> = [.challengeExpired, .challengeUsed, .notAllowed]
        let found = Set(PasskeyMutation.all.map(\.refusal)).union(others)
        #expect(found == Set(PasskeyRefusal.allCases))
    }

    @Test("a registration gives what is stored")
    func registration() throws {
        var ceremony = stage.ceremony(stage.adding)
        ceremony.aaguid = Array(1...16)
        ceremony.signCount = 0x0102_0304
        let added = try stage.add(ceremony.registration(of: stage.passkey))
        #expect(
            added
                == NewPasskey(
                    id: stage.passkey.id, key: stage.passkey.publicKey, aaguid: Array(1...16),
                    signCount: 0x0102_0304, backup: [.backupEligible, .backedUp]))
        ceremony.flags = 0x05
        #expect(try stage.add(ceremony.registration(of: stage.passkey)).backup == [])
        ceremony.flags = 0x0D
        #expect(
            try stage.add(ceremony.registration(of: stage.passkey)).backup == .backupEligible)
    }

    @Test("each algorithm is registered and signs in")
    func algorithms() throws {
        let seed = SecretBytes(copying: [UInt8](repeating: 9, count: 32))
        let id = [UInt8](repeating: 4, count: 16)
        let passkeys = [
            stage.passkey, TestPasskey(id: id, key: .edDSA(try Ed25519SigningKey(seed: seed))),
            try TestPasskey.rsa(id: id),
        ]
        for passkey in passkeys {
            let added = try stage.add(stage.ceremony(stage.adding).registration(of: passkey))
            let known = KnownPasskey(
                id: added.id, key: added.key, userHandle: PasskeyStage.userHandle,
                relyingParty: "example.org", signCount: 0, backup: added.backup)
            let response = try stage.ceremony(.signIn).assertion(by: passkey)
            #expect(try stage.use(response, of: known).isCounterBehind == false)
            let other = try stage.ceremony(.signIn).assertion(
                by: TestPasskey(id: passkey.id, key: .es256(.generate())))
            #expect(throws: PasskeyRefusal.signature) { try stage.use(other, of: known) }
        }
    }

    @Test("ids of 16 and of 1,023 bytes are accepted")
    func identifiers() throws {
        for count in [16, 1_023] {
            let passkey = TestPasskey(
                id: [UInt8](repeating: 4, count: count), key: stage.passkey.key)
            let added = try stage.add(stage.ceremony(stage.adding).registration(of: passkey))
            #expect(added.id.count == count)
        }
    }

    @Test("client data of 4,096 bytes is accepted, of 4,097 is not")
    func clientDataLength() throws {
        let ends = (#"{"type":"webauthn.get","challenge":"","origin":"x""#, "}")
        let rest = 4_096 - ends.0.utf8.count - ends.1.utf8.count
        let longest = ends.0 + String(repeating: " ", count: rest) + ends.1
        #expect(try ClientData(Array(longest.utf8)).origin == "x")
        #expect(throws: PasskeyRefusal.clientData) { try ClientData(Array(longest.utf8) + [0x20]) }
    }

    @Test("what clients and authenticators may add or leave out changes nothing")
    func variety() throws {
        let members = [
            "", #","crossOrigin":false"#, #","other_keys_can_be_added_here":"do not compare""#,
            #","crossOrigin":false,"tokenBinding":{"status":"supported"},"x":[1.5,null,{"y":{}}]"#,
            #" , "crossOrigin" : false "#, #","name":"\u00fc\ud83d\ude00 ü""#,
        ]
        for members in members {
            var ceremony = stage.ceremony(.signIn)
            ceremony.members = members
            _ = try stage.use(ceremony.assertion(by: stage.passkey))
        }
        var ceremony = stage.ceremony(.signIn)
        let text = #"{"origin":"https://example.org","challenge":"\#(ceremony.challenge)""#
        ceremony.clientData = [0xEF, 0xBB, 0xBF] + Array((text + #","type":"webauthn.get"}"#).utf8)
        _ = try stage.use(ceremony.assertion(by: stage.passkey))
        ceremony.clientData = nil
        ceremony.extensions = TestCBOR.map([
            (TestCBOR.text("hmac-secret"), [0xF5]),
            (TestCBOR.text("uvm"), TestCBOR.array([TestCBOR.array([[2], [4], [2]])])),
        ])
        _ = try stage.use(ceremony.assertion(by: stage.passkey))
        ceremony = stage.ceremony(stage.adding)
        ceremony.extensions = TestCBOR.map([(TestCBOR.text("credProtect"), [2])])
        // The reserved bits, and the members of the key in another order.
        ceremony.flags |= 0x22
        ceremony.publicKey = TestCBOR.map(stage.passkey.publicMembers.reversed())
        _ = try stage.add(ceremony.registration(of: stage.passkey))
    }

    @Test("each origin of the list is accepted: ports, an app on Android, another site")
    func origins() throws {
        for origin in stage.relyingParty.origins + stage.relyingParty.related {
            var ceremony = stage.ceremony(.signIn)
            ceremony.origin = origin.text
            _ = try stage.use(ceremony.assertion(by: stage.passkey))
        }
    }

    @Test("any attestation is taken unread")
    func attestation() throws {
        let response = stage.ceremony(stage.adding).registration(of: stage.passkey)
        let object = try #require(Base64URL.decode(response.attestationObject.utf8))
        let data = try #require(try CBORReader.value(in: object).map?["authData"]?.bytes)
        for (format, statement) in [
            ("packed", TestCBOR.map([(TestCBOR.text("sig"), TestCBOR.bytes([1]))])),
            ("none", TestCBOR.map([(TestCBOR.text("sig"), TestCBOR.bytes([1]))])),
            ("compound", TestCBOR.array([TestCBOR.map([])])), ("what-is-to-come", [0xF6]),
        ] {
            var response = response
            response.attestationObject = Base64URL.encode(
                TestCBOR.map([
                    (TestCBOR.text("authData"), TestCBOR.bytes(data)),
                    (TestCBOR.text("fmt"), TestCBOR.text(format)),
                    (TestCBOR.text("attStmt"), statement),
                    (TestCBOR.text("epAtt"), [0xF4]),
                ]))
            #expect(try stage.add(response).id == stage.passkey.id, "\(format)")
        }
    }

    @Test("only a passkey that a browser adds without a prompt may lack UP and UV")
    func automatic() throws {
        let automatic = PasskeyChallenge.Purpose.adding(
            stage.account, stage.session, isAutomatic: true)
        for flags in [0x18, 0x19, 0x1C, 0x1D] as [UInt8] {
            var ceremony = stage.ceremony(automatic)
            ceremony.flags = flags
            _ = try stage.add(
                ceremony.registration(of: stage.passkey), for: [stage.adding, automatic])
        }
        var ceremony = stage.ceremony(stage.adding)
        ceremony.flags = 0x18
        let response = ceremony.registration(of: stage.passkey)
        #expect(throws: PasskeyRefusal.userPresence) {
            try stage.add(response, for: [stage.adding, automatic])
        }
        for purpose in [PasskeyChallenge.Purpose.signIn, .sessionProof(stage.session)] {
            #expect(purpose.required == [.userPresent, .userVerified])
        }
    }

    @Test("a challenge of one ceremony is none of the other, even where both are served")
    func ceremonies() throws {
        let purposes = [stage.adding, .signIn]
        let registration = stage.ceremony(.signIn).registration(of: stage.passkey)
        #expect(throws: PasskeyRefusal.challengeUnknown) {
            try stage.add(registration, for: purposes)
        }
        let assertion = try stage.ceremony(stage.adding).assertion(by: stage.passkey)
        #expect(throws: PasskeyRefusal.challengeUnknown) {
            try stage.use(assertion, for: purposes)
        }
    }

    @Test("a challenge that was read from another response is refused")
    func otherChallenge() throws {
        let response = try RegistrationResponse(
            stage.ceremony(stage.adding).registration(of: stage.passkey))
        let (other, _) = try stage.challenges.read(
            stage.challenges.issue(for: stage.adding).text, for: [stage.adding],
            at: stage.time.now())
        #expect(throws: PasskeyRefusal.challengeUnknown) {
            try PasskeyRule.registered(by: response, answering: other, at: stage.relyingParty)
        }
    }

    @Test("a passkey must be one of those that were asked for, if some were")
    func allowed() throws {
        let response = try stage.ceremony(.signIn).assertion(by: stage.passkey)
        let other = [UInt8](repeating: 1, count: 32)
        _ = try stage.use(response, allowed: nil)
        _ = try stage.use(response, allowed: [other, stage.passkey.id])
        #expect(throws: PasskeyRefusal.notAllowed) { try stage.use(response, allowed: []) }
        #expect(throws: PasskeyRefusal.notAllowed) { try stage.use(response, allowed: [other]) }
    }

    @Test("the user handle may be absent; an id of the relying party from before is refused")
    func handles() throws {
        var ceremony = stage.ceremony(.signIn)
        _ = try stage.use(ceremony.assertion(by: stage.passkey))
        ceremony.userHandle = Base64URL.encode(PasskeyStage.userHandle)
        _ = try stage.use(ceremony.assertion(by: stage.passkey))
        let known = stage.known()
        let former = KnownPasskey(
            id: known.id, key: known.key, userHandle: known.userHandle,
            relyingParty: "example.com", signCount: 0, backup: known.backup)
        let response = try ceremony.assertion(by: stage.passkey)
        #expect(throws: PasskeyRefusal.relyingParty) { try stage.use(response, of: former) }
        let other = KnownPasskey(
            id: [UInt8](repeating: 1, count: 32), key: known.key, userHandle: known.userHandle,
            relyingParty: "example.org", signCount: 0, backup: known.backup)
        #expect(throws: PasskeyRefusal.identifier) { try stage.use(response, of: other) }
    }

    @Test(
        "a count that does not rise is recorded and not refused, and 0 is no count",
        arguments: [
            (0, 0, false), (0, 1, false), (1, 2, false), (1, .max, false), (1, 1, true),
            (2, 1, true), (1, 0, true), (.max, .max, true), (.max, 0, true),
        ] as [(UInt32, UInt32, Bool)])
    func counts(stored: UInt32, received: UInt32, isBehind: Bool) throws {
        var ceremony = stage.ceremony(.signIn)
        ceremony.signCount = received
        let use = try stage.use(
            ceremony.assertion(by: stage.passkey), of: stage.known(signCount: stored))
        #expect(use.isCounterBehind == isBehind && use.signCount == received)
        #expect(!use.hasBackupChanged)
    }

    @Test("a BE that changed is recorded and not refused; BS may change")
    func backup() throws {
        for (flags, hasChanged) in [(0x1D, false), (0x0D, false), (0x05, true)] as [(UInt8, Bool)] {
            var ceremony = stage.ceremony(.signIn)
            ceremony.flags = flags
            let use = try stage.use(ceremony.assertion(by: stage.passkey))
            #expect(use.hasBackupChanged == hasChanged)
            #expect(use.backup.rawValue == flags & 0x18)
        }
    }
}
