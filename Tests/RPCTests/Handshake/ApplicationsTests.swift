import Cryptography
import Messages
import TestSupport
import Testing

@testable import RPC

@Suite("Applications: who may call")
struct ApplicationsTests {
    private let folder: TemporaryFolder
    private let challenge = [UInt8](repeating: 3, count: 32)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeKey(_ name: String, seed: UInt64) throws {
        try SecretFile.create(
            folder.file(name), .generate(count: 32, randomness: SeededRandomness(seed: seed)))
    }

    private func applications(_ allowed: [String], asserting: [String] = []) throws -> Applications
    {
        try Applications(
            folder: folder.path, allowed: allowed, assertingClientAddress: asserting)
    }

    private func proved(_ name: String, _ keyID: String, provedBy file: String) throws
        -> WireV1.Hello
    {
        var hello = WireV1.Hello(service: "s", application: name, keyId: keyID)
        hello.proof = ApplicationProof.make(
            challenge: challenge, hello, key: try ApplicationKey(file: folder.file(file)).key)
        return hello
    }

    @Test("X-03: two keys of one application both prove it, so that they rotate")
    func rotation() throws {
        try makeKey("gateway.k1.key", seed: 1)
        try makeKey("gateway.k2.key", seed: 2)
        let applications = try applications(["gateway"], asserting: ["gateway"])
        for keyID in ["k1", "k2"] {
            let hello = try proved("gateway", keyID, provedBy: "gateway.\(keyID).key")
            let application = applications.verified(hello, challenge: challenge)?.application
            #expect(application?.name == "gateway")
            #expect(application?.mayAssertClientAddress == true)
        }
        #expect(try ApplicationKey.first(of: "gateway", in: folder.path).keyID == "k1")
    }

    @Test("X-03: a proof by another key, over another challenge, or none proves nothing")
    func wrong() throws {
        try makeKey("gateway.k1.key", seed: 1)
        try makeKey("gateway.k2.key", seed: 2)
        try makeKey("identity.k1.key", seed: 3)
        let applications = try applications(["gateway", "identity"])
        let sound = try proved("gateway", "k1", provedBy: "gateway.k1.key")
        #expect(applications.verified(sound, challenge: challenge) != nil)
        #expect(applications.verified(sound, challenge: challenge.map { $0 ^ 1 }) == nil)
        for file in ["gateway.k2.key", "identity.k1.key"] {
            let hello = try proved("gateway", "k1", provedBy: file)
            #expect(applications.verified(hello, challenge: challenge) == nil)
        }
        for proof in [[], Array(sound.proof.dropLast()), sound.proof + [0]] {
            var hello = sound
            hello.proof = proof
            #expect(applications.verified(hello, challenge: challenge) == nil)
        }
        let changes: [WritableKeyPath<WireV1.Hello, String>] = [\.service, \.application, \.keyId]
        for change in changes {
            var hello = sound
            hello[keyPath: change] = "identity"
            #expect(applications.verified(hello, challenge: challenge) == nil)
        }
    }

    @Test("X-03: a key in the folder is worth nothing unless its application is allowed")
    func notAllowed() throws {
        try makeKey("gateway.k1.key", seed: 1)
        try makeKey("session.k1.key", seed: 2)
        let applications = try applications(["gateway"])
        let hello = try proved("session", "k1", provedBy: "session.k1.key")
        #expect(applications.verified(hello, challenge: challenge) == nil)
        let other = try proved("gateway", "k1", provedBy: "gateway.k1.key")
        #expect(Applications.nobody.verified(other, challenge: challenge) == nil)
    }

    @Test("X-03: an application's name is whole: a longer one's key is not its own")
    func prefix() throws {
        try makeKey("gateway-old.k1.key", seed: 1)
        #expect(throws: ApplicationsError.self) { try applications(["gateway"]) }
    }

    @Test("a missing folder, a missing key and a strange name say what to do")
    func mistakes() throws {
        let noFolder = #expect(throws: ApplicationsError.self) {
            try Applications(
                folder: folder.file("none"), allowed: ["gateway"], assertingClientAddress: [])
        }
        #expect(noFolder?.description.contains("create it") == true)
        let noKey = #expect(throws: ApplicationsError.self) { try applications(["gateway"]) }
        #expect(noKey?.description.contains("gateway.KEYID.key") == true)
        try makeKey("gateway.key", seed: 1)
        let strange = #expect(throws: ApplicationsError.self) { try applications(["gateway"]) }
        #expect(strange?.description.contains("APPLICATION.KEYID.key") == true)
    }

    @Test("security.md, Secrets: a key that others may read is refused")
    func exposed() throws {
        try folder.write(String(repeating: "ab", count: 32), to: "gateway.k1.key")
        #expect(throws: SecretFileError.self) { try applications(["gateway"]) }
    }
}
