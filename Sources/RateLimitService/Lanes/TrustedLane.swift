import ServiceRuntime

/// Which lane an attempt is charged to: a device that the subject has succeeded from before has
/// one of its own, so that a stranger who uses the subject's up does not lock its owner out.
///
///     limit                       lane of a known device
///     failed-sign-in-by-account   failed-sign-in-by-known-device     of the email and the device
///     failed-provider-by-account  failed-provider-by-known-device    of the account and the device
///     phone-code-guess            phone-code-guess-by-known-device   of the number and the device
///     all others                  none
///
///     device named   known by the subject   charged to
///     no             –                      the limit
///     yes            no                     the limit
///     yes            yes                    the lane
///
/// A success begins the lane again that it was charged to, and no other: that the owner is there
/// says nothing of who guesses elsewhere. Two counts go over all that strangers do:
///
///     in a row, from unknown devices    then, from unknown devices             opened by
///     100 wrong passwords               no password is looked at               a success from a known
///                                                                              device, a reset by mail
///     100 wrong codes to a number       of each code that is sent the first    the right code at the
///                                       guess is looked at                     first guess
///
/// A stranger who makes them so many has kept the owner's new devices out for as long already, by five
/// in 15 minutes; he gains nothing, and can guess no more.
///
/// `phone-code-request` has no lane: its messages cost money and reach one person, ten a day,
/// whoever asks for them. A stranger can use them up; the owner comes in by a provider, by a
/// password, or on the next day.
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
    ///
    /// As long as a session lives at most by itself: a refresh does not renew the mark, which would
    /// cost it a call more.
    static let knownFor = LimitRule.markMax
    /// A mark is set anew when so much of its life has gone, not with each sign-in.
    static let renewedAfter = Duration.seconds(86_400)

    /// Failures in it say that somebody tries passwords out (`CredentialStuffingDetector`).
    static let ofStrangers = LimitName.failedSignInByAccount
    /// All attempts of the narrow lane are one subject's.
    static let everybody = "everybody"

    /// Whether a limit refuses because of the alarm.
    static func isNarrow(_ limit: LimitName) -> Bool {
        limit == .signInWithoutHistory || limit == .signInWithoutHistoryBySite
    }

    /// The lane of `limit` for known devices; nil where it has none.
    static func lane(of limit: LimitName) -> LimitName? {
        switch limit {
        case .failedSignInByAccount: .failedSignInByKnownDevice
        case .failedProviderByAccount: .failedProviderByKnownDevice
        case .phoneCodeGuess: .phoneCodeGuessByKnownDevice
        default: nil
        }
    }

    /// Whose devices are known: a number's are not those of an email that reads like it.
    static func owner(_ limit: LimitName, _ subject: String) -> String {
        limit == ofStrangers ? subject : "\(limit.rawValue)|\(subject)"
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
