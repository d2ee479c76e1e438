import Contracts

/// Which class of the table's capacity a limit's subjects use (`TableLayout`), by what an attacker
/// needs to create a further subject.
///
///     class     a further subject needs            limits
///     address   another address or application     those on addresses, on devices at an address,
///                                                  and on applications
///     account   a session, or a device that the    those that only a signed-in or a known caller
///               account knows                      reaches
///     text      a text: an email or a number       all whose subject a stranger can name
///
/// A flood in one class does not affect the others. Marks of known devices have a table of their
/// own.
enum LimitRoom: Int, CaseIterable, Sendable {
    case address = 0
    case account = 1
    case text = 2
}

extension LimitName {
    /// The class that its subjects use.
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

    /// The number of cells that its subjects share without a state of their own, as a power of two;
    /// 2^18 in all. Password resets have the most, because they are the last way to sign in; then
    /// passwords.
    var cellBits: Int {
        switch self {
        case .passwordResetByEmail: 17
        case .failedSignInByAccount: 16
        default: 10
        }
    }
}
