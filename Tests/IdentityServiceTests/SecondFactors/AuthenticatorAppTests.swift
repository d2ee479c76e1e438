import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("F-04: authenticator apps, compared with other implementations")
struct AuthenticatorAppTests {
    /// As `secret` of `make_totp_vectors.py`.
    private static func secret(_ number: Int) -> SecretBytes {
        let digest = ["totp", "more"].flatMap { SHA256.hash("\($0) \(number)".utf8) }
        return SecretBytes(copying: digest.prefix(number.isMultiple(of: 4) ? 16 + number % 49 : 20))
    }

    /// As `moment` of the same.
    private static func moment(_ number: Int) -> Timestamp {
        let digest = SHA256.hash("time \(number)".utf8).prefix(8)
        let drawn = digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Timestamp(milliseconds: Int64(1_000 + drawn % 4_000_000_000) * 1_000)
    }

    @Test("1,000 secrets and times have the codes of pyotp and oathtool, two steps to each side")
    func codes() {
        for (hundred, hash) in TOTPVectors.hashes.enumerated() {
            var codes: [UInt8] = []
            for number in hundred * 100..<(hundred + 1) * 100 {
                let step = TOTP.step(at: Self.moment(number))
                for offset in Int64(-2)...2 {
                    codes += TOTP.code(of: Self.secret(number), at: step + offset)
                }
            }
            #expect(Hex.encode(SHA256.hash(codes)) == hash, "\(hundred)")
        }
        #expect(TOTPVectors.hashes.count == 10)
    }

    @Test("of them those of the three steps around the moment are accepted, and the others are not")
    func accepted() throws {
        for number in 0..<1_000 {
            let (secret, moment) = (Self.secret(number), Self.moment(number))
            for offset in Int64(-2)...2 {
                let digits = TOTP.code(of: secret, at: TOTP.step(at: moment) + offset)
                let code = try #require(TOTPCode(typed: SecretBytes(copying: digits)))
                let found = TOTP.step(of: code, secret, at: moment, after: .min)
                #expect((found != nil) == (-1...1).contains(offset), "\(number), \(offset)")
            }
        }
    }

    @Test("pyotp reads the address of an app with hostile names, and it is encoded as others do")
    func addresses() {
        for row in TOTPVectors.addresses {
            let uri = OTPAuthURI.text(
                app: row.app, account: row.account, secret: TOTPVectors.secret)
            #expect(uri == row.uri)
        }
        #expect(TOTPVectors.addresses.count >= 15)
    }
}

@Suite("F-04: tokens of a set-up that has begun")
struct TOTPEnrollmentTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private let keys: IdentityKeys
    private let owner: SessionOwner
    private let enrollment: TOTPEnrollment
    private let token: String

    init() throws {
        keys = try Self.keys(7)
        owner = try Self.owner(1, 2)
        enrollment = try TOTPEnrollment(for: owner, at: Self.now, SeededRandomness())
        token = try enrollment.token(keys)
    }

    private static func keys(_ byte: UInt8) throws -> IdentityKeys {
        try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: byte, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: SeededRandomness())
    }

    private static func owner(_ account: Int64, _ session: Int64) throws -> SessionOwner {
        SessionOwner(
            account: try #require(AccountID(key: account)),
            session: try #require(SessionID(key: session)).text, provedAt: now)
    }

    private func opened(
        _ token: String, of owner: SessionOwner? = nil, at moment: Timestamp = now
    ) -> TOTPEnrollment? {
        TOTPEnrollment(token: token, of: owner ?? self.owner, keys, at: moment)
    }

    @Test("it opens in its session for ten minutes, with the secret and the factor's id")
    func opens() throws {
        let opened = try #require(self.opened(token))
        #expect(opened.secret == enrollment.secret && opened.factor == enrollment.factor)
        #expect(opened.secret.count == 20)
        let end = Self.now + TOTPEnrollment.life
        #expect(self.opened(token, at: end - .milliseconds(1)) != nil)
        #expect(self.opened(token, at: end) == nil)
        #expect(enrollment.expiresAt == end)
    }

    /// Attack: somebody leads a person's app to confirm a secret of their own.
    @Test("it opens for no other account and no other session")
    func others() throws {
        #expect(opened(token, of: try Self.owner(3, 2)) == nil)
        #expect(opened(token, of: try Self.owner(1, 4)) == nil)
    }

    @Test("a changed token does not open, nor does one of another key or purpose")
    func changed() throws {
        for place in token.indices {
            var changed = token
            let other: Character = changed[place] == "A" ? "B" : "A"
            changed.replaceSubrange(place...place, with: [other])
            #expect(opened(changed) == nil)
        }
        for text in ["", "A", String(token.dropLast()), token + "A", String(token.dropFirst(4))] {
            #expect(opened(text) == nil)
        }
        #expect(opened(try enrollment.token(try Self.keys(8))) == nil)
        let foreign = try keys.enrollments.seal(
            SecretBytes(copying: [UInt8](repeating: 1, count: 52)),
            at: SealedPlace(purpose: "identity/other"))
        #expect(opened(Base64URL.encode(foreign)) == nil)
    }

    @Test("the secret is not to be read in the token")
    func sealed() throws {
        let bytes = try #require(Base64URL.decode(token.utf8))
        #expect(enrollment.secret.withBytes { bytes.firstRange(of: Array($0)) == nil })
        #expect(try enrollment.token(keys) != token, "each is sealed by itself")
    }
}
