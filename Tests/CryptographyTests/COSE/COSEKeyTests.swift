import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

@Suite("F-01: keys of passkeys")
struct COSEKeyTests {
    private typealias Member = ([UInt8], [UInt8])

    private let es256: TestPasskey
    private let edDSA: TestPasskey

    init() throws {
        es256 = try TestPasskey(randomness: SeededRandomness())
        let seed = SecretBytes(copying: [UInt8](repeating: 9, count: 32))
        edDSA = TestPasskey(id: [], key: .edDSA(try Ed25519SigningKey(seed: seed)))
    }

    private func member(_ label: Int, _ value: [UInt8]) -> Member {
        (TestCBOR.integer(label), value)
    }

    /// The key with a member replaced, or without it.
    private func key(
        _ passkey: TestPasskey, _ label: Int, _ value: [UInt8]?
    ) throws -> COSEKey {
        let label = TestCBOR.integer(label)
        let members = passkey.publicMembers.compactMap { member in
            member.0 == label ? value.map { (label, $0) } : member
        }
        return try COSEKey(TestCBOR.map(members))
    }

    /// An RSA key of this modulus and exponent.
    private func rsa(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) throws -> COSEKey {
        try COSEKey(
            TestCBOR.map([
                member(1, TestCBOR.integer(3)), member(3, TestCBOR.integer(-257)),
                member(-1, TestCBOR.bytes(modulus)), member(-2, TestCBOR.bytes(exponent)),
            ]))
    }

    /// An odd number of so many bits.
    private func number(bits: Int) -> [UInt8] {
        let top = UInt8(1) << UInt8((bits - 1) % 8)
        return [top] + [UInt8](repeating: 0x55, count: (bits + 7) / 8 - 1)
    }

    @Test("each algorithm verifies its signatures, and none of another message or another key")
    func signatures() throws {
        let passkeys = [es256, edDSA, try TestPasskey.rsa(id: [])]
        #expect(COSEAlgorithm.allCases.map(\.rawValue) == [-7, -8, -257])
        for (passkey, algorithm) in zip(passkeys, COSEAlgorithm.allCases) {
            let key = try COSEKey(passkey.publicKey)
            #expect(key.algorithm == algorithm && key.bytes == passkey.publicKey)
            let signature = try passkey.sign([1, 2, 3])
            #expect(key.verifies(signature, of: [1, 2, 3]))
            #expect(!key.verifies(signature, of: [1, 2, 4]))
            #expect(!key.verifies(signature + [0], of: [1, 2, 3]))
            #expect(!key.verifies(Array(signature.dropLast()), of: [1, 2, 3]))
            #expect(!key.verifies([], of: [1, 2, 3]))
            for other in passkeys where other.publicKey != passkey.publicKey {
                #expect(!key.verifies(try other.sign([1, 2, 3]), of: [1, 2, 3]))
            }
            let again = try COSEKey(TestCBOR.map(passkey.publicMembers.reversed()))
            #expect(again.verifies(signature, of: [1, 2, 3]), "the order is free")
        }
    }

    @Test("an ES256 signature is DER of two numbers from 1 to n − 1 and nothing else")
    func der() throws {
        let key = try COSEKey(es256.publicKey)
        guard case .es256(let signing) = es256.key else { return }
        // Until neither number has a zero in front, so that one can be added.
        var raw = try signing.sign([1])
        while raw[0] >= 0x80 || raw[32] >= 0x80 || raw[0] == 0 || raw[32] == 0 {
            raw = try signing.sign([1])
        }
        func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
            [2, UInt8(bytes.count)] + bytes
        }
        func sequence(_ bytes: [UInt8]) -> [UInt8] { [0x30, UInt8(bytes.count)] + bytes }
        let (r, s) = (integer(raw.prefix(32)), integer(raw.suffix(32)))
        #expect(key.verifies(sequence(r + s), of: [1]))
        #expect(!key.verifies(raw, of: [1]), "the form of JWS")
        let zero = integer([0])
        let wrong = [
            sequence(integer([0] + raw.prefix(32)) + s),
            sequence(r + integer([0] + raw.suffix(32))),
            [0x30, 0x81] + sequence(r + s).dropFirst(), sequence(r + s) + [0],
            sequence(r + s + [5, 0]), sequence(s + r), sequence(r), sequence(r + zero),
            sequence(zero + s), sequence(zero + zero), [0x31] + sequence(r + s).dropFirst(),
        ]
        for signature in wrong {
            #expect(!key.verifies(signature, of: [1]), "\(Hex.encode(signature))")
        }
    }

    @Test("algorithms that are not offered are refused: ES384, ES512, ES256K, RS1, PS256, Ed448 …")
    func algorithms() {
        for algorithm in [-35, -36, -47, -65_535, -37, -53, -9, -19, -48, -258, 0, 7, -6] {
            #expect(throws: COSEKeyError.algorithm) {
                try key(es256, 3, TestCBOR.integer(algorithm))
            }
        }
        for other in [TestCBOR.text("ES256"), TestCBOR.bytes([7]), [0xF6], [0xF5], nil] {
            #expect(throws: COSEKeyError.members) { try key(es256, 3, other) }
        }
    }

    @Test("a key of another kind than its algorithm's, or with a member too few or too many")
    func members() throws {
        for kind in [0, 1, 3, 4] {
            #expect(throws: COSEKeyError.members) { try key(es256, 1, TestCBOR.integer(kind)) }
        }
        #expect(throws: COSEKeyError.members) { try key(es256, 1, TestCBOR.text("EC2")) }
        #expect(throws: COSEKeyError.members) { try key(edDSA, 1, TestCBOR.integer(2)) }
        #expect(throws: COSEKeyError.members) { try key(es256, 3, TestCBOR.integer(-8)) }
        #expect(throws: COSEKeyError.members) { try key(edDSA, 3, TestCBOR.integer(-7)) }
        for (passkey, labels) in [(es256, [1, 3, -1, -2, -3]), (edDSA, [1, 3, -1, -2])] {
            for label in labels {
                #expect(throws: COSEKeyError.members) { try key(passkey, label, nil) }
            }
            let more = [
                member(-4, TestCBOR.bytes([UInt8](repeating: 1, count: 32))),
                member(4, TestCBOR.array([TestCBOR.integer(2)])), member(2, TestCBOR.bytes([1])),
                (TestCBOR.text("kty"), TestCBOR.integer(2)),
            ]
            for one in more {
                #expect(throws: COSEKeyError.members) {
                    try COSEKey(TestCBOR.map(passkey.publicMembers + [one]))
                }
            }
        }
        for other in [TestCBOR.array([]), TestCBOR.integer(1), TestCBOR.map([]), [0xF6]] {
            #expect(throws: COSEKeyError.members) { try COSEKey(other) }
        }
    }

    @Test("points that are compressed, cut, of another curve or on none are refused")
    func points() throws {
        let x = try #require(es256.publicMembers.first { $0.0 == TestCBOR.integer(-2) }).1
        let zeros = [UInt8](repeating: 0, count: 32)
        let values: [(Int, [UInt8])] = [
            (-3, [0xF5]), (-3, [0xF4]), (-3, [0xF6]), (-3, x), (-3, TestCBOR.bytes(zeros)),
            (-3, TestCBOR.bytes([])), (-3, TestCBOR.bytes([0] + zeros)),
            (-2, TestCBOR.bytes(Array(x.dropFirst(3)))), (-2, TestCBOR.bytes(zeros)),
            (-2, TestCBOR.bytes([UInt8](repeating: 0xFF, count: 32))), (-2, TestCBOR.integer(1)),
            (-1, TestCBOR.integer(2)), (-1, TestCBOR.integer(8)), (-1, TestCBOR.text("P-256")),
        ]
        for (label, value) in values {
            #expect(throws: COSEKeyError.value, "\(label)") { try key(es256, label, value) }
        }
        for value in [zeros, [1] + zeros.dropLast(), [UInt8](repeating: 2, count: 31)] {
            #expect(throws: COSEKeyError.value) { try key(edDSA, -2, TestCBOR.bytes(value)) }
        }
        #expect(throws: COSEKeyError.value) { try key(edDSA, -2, TestCBOR.text("x")) }
        for curve in [4, 5, 7, 1] {
            #expect(throws: COSEKeyError.value) { try key(edDSA, -1, TestCBOR.integer(curve)) }
        }
    }

    @Test("RSA keys have 2,048 to 4,096 bits and an odd exponent from 3 to 4 bytes")
    func rsaSizes() throws {
        for bits in [2_048, 2_049, 3_072, 4_095, 4_096] {
            #expect(try rsa(number(bits: bits)).algorithm == .rs256, "\(bits)")
        }
        #expect(try rsa([0] + number(bits: 4_096)).algorithm == .rs256, "as Java writes numbers")
        for bits in [1_024, 2_047, 4_097, 8_192] {
            #expect(throws: COSEKeyError.value, "\(bits)") { try rsa(number(bits: bits)) }
        }
        let good = number(bits: 2_048)
        #expect(try rsa(good, [3]).algorithm == .rs256)
        #expect(throws: COSEKeyError.value) { try rsa([]) }
        #expect(throws: COSEKeyError.value) { try rsa(good.dropLast() + [0x54]) }
        for exponent in [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] as [[UInt8]] {
            #expect(throws: COSEKeyError.value, "\(exponent)") { try rsa(good, exponent) }
        }
    }

    @Test("what is not one CBOR value is refused as such")
    func encoding() throws {
        let bytes = es256.publicKey
        #expect(throws: COSEKeyError.encoding(.rest)) { try COSEKey(bytes + [0]) }
        #expect(throws: COSEKeyError.encoding(.truncated)) { try COSEKey([]) }
        for count in 1..<bytes.count {
            #expect(throws: COSEKeyError.encoding(.truncated)) {
                try COSEKey(Array(bytes[..<count]))
            }
        }
        let twice = es256.publicMembers + [member(3, TestCBOR.integer(-7))]
        #expect(throws: COSEKeyError.encoding(.repeatedKey)) { try COSEKey(TestCBOR.map(twice)) }
    }
}
