import COpenSSL
package import ServiceRuntime

/// Time-based one-time passwords (RFC 6238) with the figures that all authenticator apps know:
/// HMAC-SHA-1, steps of 30 seconds, six digits (RFC 4226). SHA-1's collisions do not matter to an
/// HMAC.
package enum TOTP {
    /// 160 bits, as RFC 4226, 4 recommends.
    package static let secretBytes = 20
    /// The length of a step.
    package static let stepMilliseconds: Int64 = 30_000
    /// A code has this many digits.
    package static let digits = 6

    private static let modulus: UInt32 = 1_000_000
    private static let hashBytes = 20

    /// The number of the step that a moment falls into, since 1970.
    package static func step(at moment: Timestamp) -> Int64 {
        moment.milliseconds / stepMilliseconds
    }

    /// The code of a step, in ASCII digits.
    package static func code(of secret: SecretBytes, at step: Int64) -> [UInt8] {
        let counter = step.bigEndianBytes
        var hash = [UInt8](repeating: 0, count: hashBytes)
        let written = secret.withBytes { key in
            HMAC(
                Algorithms.sha1, key.baseAddress, Int32(clamping: key.count), counter,
                counter.count, &hash, nil)
        }
        // It fails only for lack of memory, without which the program cannot continue.
        precondition(written != nil, "HMAC-SHA-1 does not fail")
        let offset = Int(hash[hashBytes - 1] & 0x0F)
        var number =
            hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        wipe(&hash)
        number %= modulus
        var code = [UInt8](repeating: UInt8(ascii: "0"), count: digits)
        for place in (0..<digits).reversed() {
            code[place] += UInt8(number % 10)
            number /= 10
        }
        return code
    }

    /// The step that a code is of: the current one, the one before it, or the one after it, since a
    /// phone's clock is not ours. Nil for a wrong code, and for one of a step that is not after
    /// `last`.
    ///
    /// Attack: a code is used twice (CVE-2025-6014, CVE-2026-33473). The caller stores the step of
    /// each right code as `last`.
    ///
    /// All three are compared, each in constant time.
    package static func step(
        of code: TOTPCode, _ secret: SecretBytes, at moment: Timestamp, after last: Int64
    ) -> Int64? {
        let current = step(at: moment)
        var found: Int64?
        for step in current - 1...current + 1 {
            var right = Self.code(of: secret, at: step)
            if code.isEqual(to: right), step > last, found == nil { found = step }
            wipe(&right)
        }
        return found
    }
}

/// A code of an authenticator app, as a person typed it.
package struct TOTPCode: Hashable, Sendable {
    /// Maximum length of the entered text, in bytes.
    package static let typedBytesMax = 32

    private let digits: SecretBytes

    /// Reads six ASCII digits, with or without spaces; nil for anything else. Attack: digits of other
    /// scripts, which compare as equal in one place and not in another.
    package init?(typed: SecretBytes) {
        guard typed.count <= Self.typedBytesMax else { return nil }
        var kept: [UInt8] = []
        // No copy is left behind by growing.
        kept.reserveCapacity(Self.typedBytesMax)
        typed.withBytes { bytes in
            for byte in bytes where byte != UInt8(ascii: " ") { kept.append(byte) }
        }
        let isCode =
            kept.count == TOTP.digits
            && kept.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        digits = SecretBytes(taking: &kept)
        guard isCode else { return nil }
    }

    fileprivate func isEqual(to right: [UInt8]) -> Bool {
        digits.withBytes { constantTimeEqual($0, right) }
    }

    /// Lends the six digits.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try digits.withBytes(body)
    }
}
