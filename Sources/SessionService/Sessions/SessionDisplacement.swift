import ServiceRuntime

/// Which of an account's live sessions end when one more is opened (S-03). Pure:
///
///     live sessions    end
///     below max        none
///     max or more      the least recently used, so that max − 1 remain beside the new one
///
/// Of two that were used at the same moment the one opened first ends, and of two opened at the
/// same moment the one with the smaller key, so that the result does not depend on the order of
/// rows.
enum SessionDisplacement {
    /// The sessions to end, the least recently used first.
    static func displaced(among live: [Session], max: Int) -> [Session] {
        let tooMany = live.count - (max - 1)
        guard tooMany > 0 else { return [] }
        return Array(live.sorted(by: isLessRecent).prefix(tooMany))
    }

    private static func isLessRecent(_ one: Session, _ other: Session) -> Bool {
        (one.usedAt, one.createdAt, one.id.key) < (other.usedAt, other.createdAt, other.id.key)
    }
}
