import ServiceRuntime
import Testing

@testable import Cryptography

@Suite("Secrets")
struct SecretBytesTests {
    @Test("a secret appears in no description, dump or mirror")
    func hidden() {
        let secret = SecretBytes(copying: "canary".utf8)
        var dumped = ""
        dump(["holder": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped]
        {
            #expect(text.contains("<secret>"))
            #expect(!text.contains("canary") && !text.contains("99"))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("secrets are equal by content and length")
    func equality() {
        #expect(SecretBytes(copying: [1, 2, 3]) == SecretBytes(copying: [1, 2, 3]))
        #expect(SecretBytes(copying: [1, 2, 3]) != SecretBytes(copying: [1, 2, 4]))
        #expect(SecretBytes(copying: [1, 2, 3]) != SecretBytes(copying: [1, 2]))
        #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
    }

    @Test("an array whose bytes a secret takes is empty afterwards")
    func taking() {
        var bytes = [UInt8](repeating: 0xAA, count: 64)
        let secret = SecretBytes(taking: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret.count == 64)
    }

    @Test("an error thrown while a secret is filled is passed on")
    func fillThrows() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try SecretBytes(count: 4) { _ throws in throw Refusal() }
        }
    }

    @Test("random secrets differ and have the requested length")
    func random() {
        let first = SecretBytes.generate(count: 32, randomness: KeyRandomness())
        let second = SecretBytes.generate(count: 32, randomness: KeyRandomness())
        #expect(first != second)
        #expect(first.count == 32)
        #expect(SecureRandomness().bytes(32) != SecureRandomness().bytes(32))
        #expect(SecureRandomness().bytes(0) == [])
    }

    @Test("constant-time comparison agrees with ordinary comparison")
    func constantTime() {
        #expect(constantTimeEqual("same".utf8, Array("same".utf8)))
        #expect(!constantTimeEqual("same".utf8, "sane".utf8))
        #expect(!constantTimeEqual("same".utf8, "sam".utf8))
        #expect(constantTimeEqual([], []))
    }
}
