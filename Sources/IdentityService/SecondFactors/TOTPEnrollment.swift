import Cryptography
import ServiceRuntime

/// An authenticator app that is being set up (F-04). Nothing is stored of it: the sealed token has the
/// secret, and works for ten minutes, in the session that began.
///
/// Attack: somebody has an own session, and leads a person's app to confirm their secret in the
/// person's session. The token is of another account and session.
///
/// It names the row, so it adds one factor however often it is confirmed.
struct TOTPEnrollment: Sendable {
    static let life: Duration = .seconds(600)
    /// Bound to one purpose: a value that was sealed for anything else does not open here.
    private static let place = SealedPlace(purpose: "identity/totp-enrollment")
    private static let numberCount = 4
    private static let numberBytes = numberCount * 8

    let secret: SecretBytes
    /// The factor that it becomes.
    let factor: FactorID
    let account: AccountID
    let session: SessionID
    let expiresAt: Timestamp

    /// A new secret for the owner of a session, from `moment` on.
    /// - Throws: `rpc/internal` for a session without a valid id.
    init(
        for owner: SessionOwner, at moment: Timestamp, _ randomness: any Randomness
    ) throws(ServiceError) {
        guard let session = SessionID(text: owner.session) else {
            throw ServiceError(.internalError, detail: "a session without a valid id")
        }
        secret = SecretBytes.generate(count: TOTP.secretBytes, randomness: randomness)
        factor = FactorID.drawn(from: randomness)
        account = owner.account
        self.session = session
        expiresAt = moment + Self.life
    }

    /// Opens a token; nil for an invalid one, one that has expired, and one of another session.
    init?(token: String, of owner: SessionOwner, _ keys: IdentityKeys, at moment: Timestamp) {
        // The caller gets one answer for every invalid token, so the reason is dropped.
        guard let sealed = Base64URL.decode(token.utf8),
            let opened = try? keys.enrollments.openSecret(sealed, at: Self.place),
            opened.count == Self.numberBytes + TOTP.secretBytes
        else { return nil }
        let numbers = opened.withBytes { [Int64](bigEndianBytes: Array($0[..<Self.numberBytes])) }
        guard let numbers, let factor = FactorID(key: numbers[0]),
            let account = AccountID(key: numbers[1]), let session = SessionID(key: numbers[2])
        else { return nil }
        secret = opened.withBytes {
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[Self.numberBytes...]))
        }
        self.factor = factor
        self.account = account
        self.session = session
        expiresAt = Timestamp(milliseconds: numbers[3])
        guard account == owner.account, session.text == owner.session, moment < expiresAt
        else { return nil }
    }

    /// The token.
    /// - Throws: when sealing fails.
    func token(_ keys: IdentityKeys) throws -> String {
        let numbers = [factor.key, account.key, session.key, expiresAt.milliseconds].bigEndianBytes
        let content = SecretBytes(count: numbers.count + secret.count) { buffer in
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<numbers.count])
                .copyBytes(from: numbers)
            secret.withBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[numbers.count...])
                    .copyMemory(from: bytes)
            }
        }
        return Base64URL.encode(try keys.enrollments.seal(content, at: Self.place))
    }
}

/// The address by which an authenticator app takes a secret over, from a QR code or a link: the "key
/// URI format" of Google's app, which all others read.
///
/// - Parts are percent-encoded, a space as `%20`: with `+` the app would show a plus sign.
/// - A colon separates the app's name from the account's, so neither part has one.
/// - The secret has no padding.
enum OTPAuthURI {
    /// - Parameters:
    ///   - app: The app's name as people know it; may be empty.
    ///   - account: The account's address, as its owner recognises it.
    ///   - secret: In base32.
    static func text(app: String, account: String, secret: String) -> String {
        let (issuer, name) = (encoded(app), encoded(account))
        let label = issuer.isEmpty ? name : "\(issuer):\(name)"
        let issued = issuer.isEmpty ? "" : "&issuer=\(issuer)"
        return "otpauth://totp/\(label)?secret=\(secret)\(issued)"
            + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.stepMilliseconds / 1_000)"
    }

    /// RFC 3986, 2.3: all but unreserved characters are encoded, byte by byte.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 where byte != UInt8(ascii: ":") {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return encoded
    }
}
