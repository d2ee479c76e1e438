import Messages
import ServiceRuntime

extension SessionV1.SigningKey {
    /// `…kid…  active     since 2026-01-31T09:05:00.250Z`
    var line: String {
        let (word, since): (String, Int64) =
            switch state {
            case .announced: ("announced", madeAtMs)
            case .active: ("active", activeAtMs)
            case .passive: ("passive", passiveAtMs)
            case .retired: (revoked ? "revoked" : "retired", retiredAtMs)
            case .unspecified, .unrecognized: ("unknown", madeAtMs)
            }
        return KeyLine.text(keyId, word, since: since)
    }
}

extension SessionV1.RefreshKey {
    /// `refresh-3  active     since 2026-01-31T09:05:00.250Z`, or `refresh-2  passive    since …,
    /// its tokens are taken until …`
    var line: String {
        let name = "refresh-\(keyId)"
        guard supersededAtMs != 0 else { return KeyLine.text(name, "active", since: madeAtMs) }
        return KeyLine.text(name, "passive", since: supersededAtMs)
            + ", its tokens are taken until \(Timestamp(milliseconds: acceptedUntilMs).text)"
    }
}

/// The format of a key's line in `postern keys`.
private enum KeyLine {
    static func text(_ name: String, _ state: String, since moment: Int64) -> String {
        let padding = String(repeating: " ", count: max(1, 11 - state.count))
        return "\(name)  \(state)\(padding)since \(Timestamp(milliseconds: moment).text)"
    }
}
