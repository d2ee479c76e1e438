import Cryptography
import Glibc
import Messages
import TestSupport
import Testing

@testable import RPC

@Suite("Which applications may call")
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

    private func applications(
        _ allowed: [String], asserting: [String] = [],
        rule: SharedKeyRule = TestKey.sharedKeys
    ) throws -> Applications {
        try Applications(
            folder: folder.path, callers: CallersList(allowed, assertingClientAddress: asserting),
            needsKeys: true, sharedKeys: rule)
    }

    private func proved(_ name: String, _ keyID: String, provedBy file: String) throws
        -> WireV1.Hello
    {
        var hello = WireV1.Hello(service: "s", application: name, keyId: keyID)
        hello.proof = ApplicationProof.make(
            challenge: challenge, hello, key: try ApplicationKey(file: folder.file(file)).key)
        return hello
    }

    @Test("X-03: two keys of one application are both accepted, so that keys can rotate")
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

    @Test("X-03: a proof is rejected if its key, its challenge or a field of the Hello differs")
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

    @Test("X-03: a key in the folder is rejected unless its application is allowed")
    func notAllowed() throws {
        try makeKey("gateway.k1.key", seed: 1)
        try makeKey("session.k1.key", seed: 2)
        let applications = try applications(["gateway"])
        let hello = try proved("session", "k1", provedBy: "session.k1.key")
        #expect(applications.verified(hello, challenge: challenge) == nil)
        let other = try proved("gateway", "k1", provedBy: "gateway.k1.key")
        #expect(Applications.empty.verified(other, challenge: challenge) == nil)
    }

    @Test("X-03: an application's name must match whole: the key of a longer name is not its own")
    func prefix() throws {
        try makeKey("gateway-old.k1.key", seed: 1)
        #expect(throws: ApplicationsError.self) { try applications(["gateway"]) }
    }

    @Test("errors for a missing folder, a missing key and a wrong file name say what to do")
    func problems() throws {
        let noFolder = #expect(throws: ApplicationsError.self) {
            try Applications(
                folder: folder.file("none"),
                callers: CallersList(["gateway"], assertingClientAddress: []), needsKeys: true,
                sharedKeys: TestKey.sharedKeys)
        }
        #expect(noFolder?.description.contains("create it") == true)
        let noKey = #expect(throws: ApplicationsError.self) { try applications(["gateway"]) }
        #expect(noKey?.description.contains("gateway.KEYID.pub") == true)
        try makeKey("gateway.key", seed: 1)
        let strange = #expect(throws: ApplicationsError.self) { try applications(["gateway"]) }
        #expect(strange?.description.contains("APPLICATION.KEYID.key") == true)
    }

    /// Writes a key pair as PEM: the private key as the client's file, the public one as the
    /// server's.
    private func makePair(_ name: String, seed: UInt64) throws {
        let text = Ed25519SigningKey.generatePEM(randomness: SeededRandomness(seed: seed))
        let key = try #require(try Ed25519SigningKey(pem: text))
        try SecretFile.create(folder.file("client-\(name).key"), text)
        try folder.write(String(decoding: key.verifyingKey.pem, as: UTF8.self), to: "\(name).pub")
        chmod(folder.file("\(name).pub"), 0o644)
    }

    @Test("H3: a server with the public key accepts a proof by the private key, both as PEM")
    func pair() throws {
        try makePair("tool.k1", seed: 1)
        let applications = try applications(["tool"])
        let hello = try proved("tool", "k1", provedBy: "client-tool.k1.key")
        #expect(applications.verified(hello, challenge: challenge)?.application.name == "tool")
        #expect(applications.withSharedKeys.isEmpty)
        // The public key that the server has must not work as a shared key.
        let half = try SecretFile.readPublic(folder.file("tool.k1.pub"))
        var forged = WireV1.Hello(service: "s", application: "tool", keyId: "k1")
        forged.proof = ApplicationProof.make(
            challenge: challenge, forged, key: KeyedHash(key: half))
        #expect(applications.verified(forged, challenge: challenge) == nil)
    }

    @Test("H3: a private key in a server's folder does not let its application call")
    func privateHalfAtServer() throws {
        let text = Ed25519SigningKey.generatePEM(randomness: SeededRandomness(seed: 1))
        try SecretFile.create(folder.file("tool.k1.key"), text)
        let refused = #expect(throws: ApplicationsError.self) { try applications(["tool"]) }
        #expect(refused?.description.contains("tool.KEYID.pub") == true)
    }

    @Test("H3: a PEM file of another kind of key is not read as a shared secret")
    func otherPEM() throws {
        try SecretFile.create(
            folder.file("tool.k1.key"),
            SecretBytes(copying: "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END".utf8))
        let refused = #expect(throws: ApplicationsError.self) { try applications(["tool"]) }
        #expect(refused?.description.contains("openssl genpkey -algorithm ed25519") == true)
    }

    @Test(
        "H3: shared keys are rejected between our programs, and accepted of others only if allowed",
        arguments: [
            ("tool", true, false), ("tool", false, false), ("app", true, true),
            ("app", false, false),
        ])
    func shared(application: String, acceptsOthers: Bool, isTaken: Bool) throws {
        try makeKey("\(application).k1.key", seed: 1)
        let rule = SharedKeyRule(ours: ["tool"], acceptsOthers: acceptsOthers)
        guard isTaken else {
            let refused = #expect(throws: ApplicationsError.self) {
                try applications([application], rule: rule)
            }
            #expect(refused?.description.contains("Ed25519 key") == true)
            return
        }
        #expect(try applications([application], rule: rule).withSharedKeys == [application])
    }

    @Test("SECURITY.md, Secrets: a key file that other users may read is rejected")
    func exposed() throws {
        try folder.write(String(repeating: "ab", count: 32), to: "gateway.k1.key")
        #expect(throws: SecretFileError.self) { try applications(["gateway"]) }
    }
}
