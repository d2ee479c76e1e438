/// Whose room in the table a limit's subjects take (`TableLayout`): by what an attacker needs to make
/// another one.
///
///     room      another subject takes              limits
///     address   another address or application     those on addresses, devices at one, applications
///     account   a session or a device that the     those that only a signed-in or a known caller
///               account is known by                reaches
///     text      a text: an email, a number         all that strangers name
///
/// A flood in one leaves the others as they are. Marks of known devices have a table of their own.
enum LimitRoom: Int, CaseIterable, Sendable {
    case address = 0
    case account = 1
    case text = 2
}

extension LimitName {
    /// Whose room its subjects take.
    var room: LimitRoom {
        switch self {
        case .failedSignInByDevice, .failedSignInByAddress, .failedSignInBySite, .signUpByAddress,
            .guestSignUpByAddress, .unaddressedByApplication, .failedProviderByDevice,
            .failedProviderByAddress, .phoneCodeByAddress, .phoneCodeGuessByAddress,
            .passwordResetByAddress, .signInFailuresOverall, .signInFailuresBySite,
            .signInWithoutHistory, .signInWithoutHistoryBySite, .newSubjectsBySite,
            .newSubjectsByApplication:
            .address
        case .failedSignInByKnownDevice, .failedProviderByAccount, .failedProviderByKnownDevice,
            .phoneCodeGuessByKnownDevice, .profileUpdateByAccount, .knownDevice,
            .newDeviceByAccount, .devicesForgotten:
            .account
        case .failedSignInByAccount, .failedSignInInARow, .signUpOnTakenEmail, .phoneCodeRequest,
            .phoneCodeByBlock, .phoneCodeByCountry, .phoneCodeGuess, .phoneCodeFirstGuess,
            .verificationMailByAccount, .passwordResetByEmail, .mailByTarget:
            .text
        }
    }

    /// Cells that its subjects share where they have no place, as a power of two; 2^18 in all. Most
    /// for a reset, which is the way in for who has no other, then for passwords.
    var cellBits: Int {
        switch self {
        case .passwordResetByEmail: 17
        case .failedSignInByAccount: 16
        default: 10
        }
    }
}
