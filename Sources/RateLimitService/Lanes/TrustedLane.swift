import ServiceRuntime

/// Which lane a failed sign-in is charged to: a device that the account has signed in from before
/// has one of its own, so that a stranger who uses the account's up does not lock its owner out.
///
///     device named   known by the account   charged to
///     no             –                      failed-sign-in-by-account
///     yes            no                     failed-sign-in-by-account
///     yes            yes                    failed-sign-in-by-known-device, of this account and device
///
/// A device's id is the caller's word. The attacks:
/// - *A new id for each guess*: none of them is known, all go to the account's lane.
/// - *The owner's id, stolen*: five guesses in 15 minutes more, no others, and they are counted
///   against that device alone. Only its own lane can be used up by it.
/// - *An id that the attacker's own account knows*: the mark is of the pair of account and device.
/// - *To be known without a password*: the mark is set by a success, which only the gateway tells.
/// The limits on an address are charged in every case: no id lifts them.
enum TrustedLane {
    /// Since the last success from it.
    static let knownFor = Duration.seconds(40 * 86_400)
    /// A mark is set anew when so much of its life has gone, not with each sign-in.
    static let renewedAfter = Duration.seconds(86_400)

    /// The lane of `limit` for known devices; nil where it has none.
    static func lane(of limit: LimitName) -> LimitName? {
        limit == .failedSignInByAccount ? .failedSignInByKnownDevice : nil
    }

    /// The subject of a pair. The length stands in front, or "a" with "b|c" were "a|b" with "c".
    static func pair(_ subject: String, _ device: String) -> String {
        "\(subject.utf8.count)|\(subject)|\(device)"
    }

    /// Whether a mark must be set, given what a peek at it says.
    static func isDue(_ mark: LimitVerdict, at now: Timestamp) -> Bool {
        guard mark.isLimited, let end = mark.retryAt else { return true }
        return end - now <= knownFor - renewedAfter
    }
}
