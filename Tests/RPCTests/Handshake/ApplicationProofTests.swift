import Cryptography
import Messages
import RPC
import TestSupport
import Testing

@Suite("The proof in an application's Hello")
struct ApplicationProofTests {
    private let challenge = [UInt8](0..<32)

    @Test("X-03: the proof is the one of Protos/README.md, as Python's hmac computes it")
    func golden() throws {
        // hmac.new(bytes(range(100, 132)), b"postern/1 hello\0" + bytes(range(32))
        //     + b"\0\x0fpostern.session" + b"\0\x07gateway" + b"\0\x02k1" + bytes(32), "sha256")
        let golden = "af8114d36516b1932e6152f10c6e198a9ce89b101211fd4d4ec2593dda649aed"
        let proof = ApplicationProof.make(
            challenge: challenge, SampleFrames.hello,
            key: KeyedHash(key: SecretBytes(count: 32) { $0.copyBytes(from: 100..<132) }))
        #expect(Hex.encode(proof) == golden)
    }

    @Test("X-03: different Hellos or challenges never give the same message to prove")
    func unambiguous() {
        var hellos = [SampleFrames.hello]
        let parts = [
            ("ab", "c", ""), ("a", "bc", ""), ("", "abc", ""), ("a", "b", "c"), ("", "", "abc"),
        ]
        for (service, application, keyID) in parts {
            var hello = WireV1.Hello()
            (hello.service, hello.application, hello.keyId) = (service, application, keyID)
            hellos.append(hello)
        }
        let messages = hellos.map { ApplicationProof.message(challenge: challenge, $0) }
        #expect(Set(messages).count == hellos.count)
        let other = ApplicationProof.message(challenge: challenge.reversed(), hellos[0])
        #expect(!messages.contains(other))
    }
}
