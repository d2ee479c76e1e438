import TestSupport
import Testing

@testable import Cryptography

@Suite("age files and their parts: published vectors")
struct AgeVectorTests {
    /// The files in the tests of https://github.com/FiloSottile/typage, the format's
    /// implementation in TypeScript by the format's author. Each has the content `test\n`.
    private enum Typage {
        static let passphrase: SecretBytes =
            "light-original-energy-average-wish-blind-vendor-pencil-illness-scorpion"
        /// A work factor of 8.
        static let scrypt8 =
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCB4Y2lkcXJQdmwwZzRROEZ5eXU4dHNnIDgKNnM2Ylp2"
            + "Vlg2b0NBSVp2QkxCZEhJbEJrYUcreWRIZHVHWVpBaUJkUy9ZMAotLS0gZ280TkNGT05VTDEwZW5WRjVPMnkx"
            + "em05eWQwdkM0S09hSU1nV05aYW5QSQom4WH7RYXsjlDm3HNKCe9gY2IfCjTY/2t6PF4bzUkeWZWkE7kd"
        /// A work factor of 18, as we write it.
        static let scrypt18 =
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBtRld1R1VqUGxQM25ZdCtIOU03WHN3IDE4CkRnRWRI"
            + "VnF0N0pZNGg0cWJaMmJKRzdteS9mNHhhR1lqUVo4MkR3WWR4NVEKLS0tIDQ5bmRwY1hRN2kvc0I0VndlUzg3"
            + "V2tiWGFLY1dzcENkVzFDZnBHWlZMWVEK1txQDiJz/J97zMFjZX/tDp10RCfFgBYd4Tt17tfaNfsZaR5E+A"
        static let secretKey =
            "AGE-SECRET-KEY-1L27NYJDYRNDSCCELNZE8C6JTSH22TLQJVPGD7289KDLMZA5HWN6SZPEHGF"
        static let x25519 =
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBOb280UHUyVWZwTllzY3Z5OU1tTjlscHV1Smt4Nng0"
            + "MEZkdGZoQzd1dVFZCmk0VUNvVmoxbEhHalV0bVR2MHFyRGl0YzNtMXdoY1oyVUtvWDU3MUQwR1EKLS0tIGJ1"
            + "RTZSYmR6ZlNHSk5tSGl3U2hqR1FFUDF4eEdjSGZtbXlYQUN4SnM4RDAKyqdZXpg65sTtmakjxLONtEgaSwXe"
            + "S8t+7jAWvlleVEFO4/9QIQ"
    }

    @Test("files of another implementation for a passphrase and a key are decrypted")
    func typage() throws {
        let passphrase = AgeIdentity.passphrase(Typage.passphrase)
        let key = AgeIdentity.x25519(try AgeKeyPair(text: Typage.secretKey.utf8))
        for (text, identity) in [
            (Typage.scrypt8, passphrase), (Typage.scrypt18, passphrase), (Typage.x25519, key),
        ] {
            let file = try #require(Base64.decodeUnpadded(text.utf8))
            #expect(try AgeFile.decrypted(file, [identity]) == Array("test\n".utf8))
        }
    }

    @Test("a file that we encrypt with a passphrase has the work factor of age")
    func workFactor() throws {
        let writer = try AgeWriter(
            recipients: [.passphrase(Typage.passphrase)], randomness: SecureRandomness())
        let line = try #require(writer.header.split(separator: 10).dropFirst().first)
        #expect(String(decoding: line, as: UTF8.self).hasSuffix(" 18"))
        let file = try writer.header + writer.encrypt([1, 2]) + writer.finish()
        #expect(try AgeFile.decrypted(file, [.passphrase(Typage.passphrase)]) == [1, 2])
    }

    @Test("X25519 gives the keys and the secret of RFC 7748, section 6.1")
    func x25519() throws {
        let (alice, bob) = (
            secret("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"),
            secret("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        )
        let (alicePublic, bobPublic) = (
            bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"),
            bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        )
        let shared = secret("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(try X25519.publicKey(of: alice) == alicePublic)
        #expect(try X25519.publicKey(of: bob) == bobPublic)
        #expect(try X25519.sharedSecret(alice, with: bobPublic) == shared)
        #expect(try X25519.sharedSecret(bob, with: alicePublic) == shared)
        #expect(try X25519.sharedSecret(alice, with: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test("ChaCha20-Poly1305 gives the ciphertext of RFC 8439, section 2.8.2")
    func chaCha20Poly1305() throws {
        let key = secret("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f")
        let nonce = bytes("070000004041424344454647")
        let data = bytes("50515253c0c1c2c3c4c5c6c7")
        let text = Array(
            ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
                + "the future, sunscreen would be it.").utf8)
        let sealed = try text.withUnsafeBytes {
            try AEAD.chaCha20Poly1305.seal($0, key: key, nonce: nonce, associatedData: data)
        }
        #expect(
            sealed
                == bytes(
                    """
                    d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
                    3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
                    92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
                    3ff4def08e4b7a9de576d26586cec64b6116
                    1ae10b594f09e26a7e902ecbd0600691
                    """))
        let opened = try AEAD.chaCha20Poly1305.open(
            sealed, key: key, nonce: nonce, associatedData: data)
        #expect(opened == SecretBytes(copying: text))
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(throws: SealedBoxError.notAuthentic) {
                try AEAD.chaCha20Poly1305.open(
                    changed, key: key, nonce: nonce, associatedData: data)
            }
        }
    }
}
