import Cryptography
import Messages
import ServiceRuntime
import Storage

/// What a device's proof is worth, for the rotation rule to act on.
enum DeviceProofFinding: Hashable, Sendable {
    /// None came, or the session is bound to no key and needs none.
    case absent
    /// Its device's clock, or whoever kept it, is too far from our time.
    case stale
    /// Not the device's signature over this token and moment.
    case wrong
    /// The device's own, made at this moment by its clock.
    case proved(signedAt: Timestamp)
}

/// Whether a proof shows that the device itself uses its refresh token (S-04). Pure:
///
///     proof    session's key   signed at            signature     finding
///     none     any                                                absent
///     given    none                                               absent
///     given    yes             off by over 5 min    any           stale
///     given    yes             within               another's     wrong
///     given    yes             within               the device's  proved
///
/// Attacks: a stolen token without the key gives nothing; a signature that was made for another
/// token, another purpose or another server's protocol is over other bytes; one that was kept back
/// is stale. Who records a whole request, token and proof, can send it again for five minutes, and
/// is given no more access than its first answer gave (`RefreshTokenRotation`).
enum DeviceProofRule {
    /// How far a device's clock may be off ours: people's clocks are set by hand. A device that is
    /// told `auth/device-proof-stale` signs anew by the server's time, which every answer tells.
    static let skewMax: Duration = .seconds(300)
    /// Sets these signatures apart from all others that a device makes.
    private static let label = "postern refresh v1"

    /// - Parameter token: the refresh token as it was sent.
    static func finding(
        _ proof: SessionV1.DeviceProof?, on token: String, by key: DeviceKey?, at now: Timestamp
    ) -> DeviceProofFinding {
        guard let proof, let key else { return .absent }
        let signedAt = Timestamp(milliseconds: proof.signedAtMs)
        guard ((now - skewMax)...(now + skewMax)).contains(signedAt) else { return .stale }
        let isGenuine = key.verifies(proof.signature, of: signed(token, at: signedAt))
        return isGenuine ? .proved(signedAt: signedAt) : .wrong
    }

    /// What a device signs when it uses `token`.
    static func signed(_ token: String, at moment: Timestamp) -> [UInt8] {
        let milliseconds = (0..<8).map {
            UInt8(truncatingIfNeeded: moment.milliseconds >> (56 - $0 * 8))
        }
        return DelimitedParts.joined([Array(label.utf8), Array(token.utf8), milliseconds])
    }
}

extension SessionParts {
    /// Checks the proof that came with a token of session `id`. Signatures take 0.1 ms, so this is
    /// done before the store's one writer is asked; a session's key never changes meanwhile.
    func finding(
        of proof: SessionV1.DeviceProof?, on token: String, of id: SessionID
    ) async throws -> DeviceProofFinding {
        guard let proof else { return .absent }
        let key = try await store.read { try $0.deviceKey(of: id) }
        return DeviceProofRule.finding(proof, on: token, by: key, at: time.now())
    }
}

extension SQLSession {
    /// The key that session `id` is bound to, if it is there and bound.
    fileprivate func deviceKey(of id: SessionID) throws -> DeviceKey? {
        let found = try queryOne(
            "SELECT device_key FROM session WHERE id = ?", [.integer(id.key)]
        ) { try $0.optionalBlob(0) }
        return try found.flatMap { $0 }.map { try DeviceKey(stored: $0) }
    }
}
