package import ServiceRuntime

/// The ends of an account's sessions, as far as they decide whether a sign-in proof, or a session
/// that it opened, is from before them. Identity and the session service compare by this one rule.
///
/// Attack: an attacker knows the password and gets a proof just before the owner resets it. The
/// proof opens a session after the reset. Several instances of identity stamp proofs and resets by
/// their own clocks, which may differ by minutes, so the order of the two is a number that the
/// reset's transaction raises: the account's session generation.
///
///     generation of the proof   end                            the proof is from before it
///     known                     has raised the generation      the end's generation is higher
///     known                     has not: an earlier time       the proof's time is earlier
///     0: from an earlier build  any                            the proof's time is earlier
package struct AccountEnd: Hashable, Sendable {
    /// A proof this much later than an end is no longer from before it: clocks do not differ by so
    /// much. Its generation is lower because identity was restored from a backup, and without this
    /// bound the owner could not sign in until the end is forgotten.
    package static let clocksDifferMax: Duration = .seconds(3_600)

    /// The time of the latest end: the first moment after it.
    package let before: Timestamp
    /// The highest generation that an end has raised the account to; 0 where none has.
    package let generation: Int64
    /// The time of the latest end that has raised no generation; 0 where there is none.
    package let beforeByClock: Timestamp

    /// The latest of several ends.
    package init(before: Timestamp, generation: Int64, beforeByClock: Timestamp) {
        self.before = before
        self.generation = generation
        self.beforeByClock = beforeByClock
    }

    /// One end.
    /// - Parameter generation: The generation that it has raised the account to; 0 for an end at an
    ///   earlier time, and from an earlier build.
    package init(before: Timestamp, generation: Int64) {
        self.init(
            before: before, generation: generation,
            beforeByClock: generation == 0 ? before : Timestamp(milliseconds: 0))
    }

    /// Whether a proof issued at `moment` is from before an end.
    /// - Parameter generation: The proof's generation; 0 where unknown.
    package func covers(provedAt moment: Timestamp, generation: Int64) -> Bool {
        if moment < beforeByClock { return true }
        guard generation > 0, self.generation > 0 else { return moment < before }
        return generation < self.generation && moment < before + Self.clocksDifferMax
    }
}
