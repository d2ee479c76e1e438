import Contracts
import Cryptography
import Messages
import ServiceRuntime

/// Whether a device proves that its owner has just confirmed a prompt (G-13). Pure:
///
///     session's key   signed at             signature     finding
///     none            any                   any           refused: invalid-device-proof
///     yes             off by over a minute  any           refused: device-proof-stale
///     yes             within                another's     refused: invalid-device-proof
///     yes             within                the device's  proved, at that moment, never after now
///
/// Attacks: the proof of an unattended refresh covers other bytes and does not count as presence,
/// nor does one for another session's token. An attacker who replays a recorded proof gains
/// nothing: it counts from the moment at which it was signed.
enum PresenceProofRule {
    /// How far a device's clock may differ from ours: less than for a refresh, since calls check
    /// how many minutes ago the proof was made. A device that receives `auth/device-proof-stale`
    /// signs again with the server's time.
    static let skewMax: Duration = .seconds(60)
    /// Domain separation: distinguishes these signatures from all others that a device makes.
    private static let label = "postern presence v1"

    /// The proof that the signature gives.
    /// - Parameter token: the access token as it was sent.
    /// - Throws: `auth/invalid-device-proof`, `auth/device-proof-stale`.
    static func proof(
        _ presence: GatewayV1.PresenceProof, on token: String, by key: DeviceKey?,
        at now: Timestamp
    ) throws(ServiceError) -> SessionProof {
        guard let key else { throw ServiceError(.invalidDeviceProof) }
        let signedAt = Timestamp(milliseconds: presence.signedAtMs)
        guard ((now - skewMax)...(now + skewMax)).contains(signedAt) else {
            throw ServiceError(.deviceProofStale)
        }
        let covered = signed(token, at: signedAt, inHardware: presence.hardwareKey)
        guard key.verifies(presence.signature, of: covered) else {
            throw ServiceError(.invalidDeviceProof)
        }
        let shown: Authentication = presence.hardwareKey ? .hardwareKey : .softwareKey
        return SessionProof(methods: shown.amr, at: min(signedAt, now))
    }

    /// The bytes that a device signs when its owner has confirmed a prompt.
    static func signed(_ token: String, at moment: Timestamp, inHardware: Bool) -> [UInt8] {
        DelimitedParts.joined([
            Array(label.utf8), Array(token.utf8), moment.signedBytes, [inHardware ? 1 : 0],
        ])
    }
}
