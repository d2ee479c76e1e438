import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Whether a proof shows that the device itself uses its refresh token (S-04). Pure:
///
///     proof    session's key   signed at            signature     finding
///     none     any                                                absent
///     given    none                                               absent
///     given    yes             off by over 5 min    any           stale
///     given    yes             within               another's     wrong
///     given    yes             within               the device's  proved
///
/// Attacks: a stolen token without the key is useless. A signature for another token, another
/// purpose or another server's protocol covers other bytes. A proof that was held back is stale. An
/// attacker who records a whole request, token and proof, can replay it for five minutes, and gets
/// no more access than the first response gave (`RefreshTokenRotation`).
enum DeviceProofRule {
    /// The result of checking a device's proof, for the rotation rule.
    enum Finding: Hashable, Sendable {
        /// No proof was sent, or the session is bound to no key and needs none.
        case absent
        /// The signing time is too far from ours: the device's clock is wrong, or the proof was
        /// replayed.
        case stale
        /// Not the device's signature over this token and moment.
        case wrong
        /// The device's own signature, made at this moment by its clock.
        case proved(signedAt: Timestamp)
    }

    /// How far a device's clock may differ from ours: people set clocks by hand. A device that
    /// receives `auth/device-proof-stale` signs again with the server's time, which every response
    /// contains.
    static let skewMax: Duration = .seconds(300)
    /// Domain separation: distinguishes these signatures from all others that a device makes.
    private static let label = "postern refresh v1"

    /// - Parameter token: the refresh token as it was sent.
    static func finding(
        _ proof: GatewayV1.DeviceProof?, on token: String, by key: DeviceKey?, at now: Timestamp
    ) -> Finding {
        guard let proof, let key else { return .absent }
        let signedAt = Timestamp(milliseconds: proof.signedAtMs)
        guard ((now - skewMax)...(now + skewMax)).contains(signedAt) else { return .stale }
        let isGenuine = key.verifies(proof.signature, of: signed(token, at: signedAt))
        return isGenuine ? .proved(signedAt: signedAt) : .wrong
    }

    /// The bytes that a device signs when it uses `token`.
    static func signed(_ token: String, at moment: Timestamp) -> [UInt8] {
        DelimitedParts.joined([Array(label.utf8), Array(token.utf8), moment.signedBytes])
    }
}

extension SQLSession {
    /// The key that session `id` is bound to; nil when there is no such session or key.
    func deviceKey(of id: SessionID) throws -> DeviceKey? {
        let found = try queryOne(
            "SELECT device_key FROM session WHERE id = ?", [.integer(id.key)]
        ) { try $0.optionalBlob(0) }
        return try found.flatMap { $0 }.map { try DeviceKey(stored: $0) }
    }
}
