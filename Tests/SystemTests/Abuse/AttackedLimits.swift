import Contracts
import Messages
import PublicCalls
import RPC

/// The limits that a call of a method is charged to, as far as attackers reach them
/// (`GatewayService/Limits/LimitedAction.swift`).
struct AttackedLimits {
    /// Whom a limit counts.
    enum Subject { case account, address, email, backend }

    let limit: LimitName
    let subject: Subject

    /// The limits of a call; none if only the calls in flight are limited.
    static func of(_ call: PublicCall) -> [AttackedLimits] {
        let method = call.name.split(separator: ",").first.map(String.init) ?? call.name
        return byCall[call.name] ?? byCall[method] ?? []
    }

    /// The calls of this table that `PublicCalls` has not.
    static var unknown: Set<String> {
        let names = PublicCalls.all.map(\.name)
        let methods = names.map { String($0.prefix { $0 != "," }) }
        return Set(byCall.keys).subtracting(names + methods)
    }

    /// By `PublicCall.name`, or by the method alone.
    private static let byCall: [String: [AttackedLimits]] = {
        var limits: [String: [AttackedLimits]] = [:]
        for (subject, limit, calls) in rows {
            for call in calls {
                limits[call, default: []].append(.init(limit: limit, subject: subject))
            }
        }
        return limits
    }()

    private static let rows: [(Subject, LimitName, [String])] = [
        (
            .account, .documentWriteByAccount,
            [
                "Documents/WriteDocument", "Documents/WriteDocuments", "Documents/RemoveDocument",
                "Onboarding/SaveOnboardingSection", "Onboarding/RestartOnboarding",
                "Guests/ChooseGuestData", "Guests/RetryMigration", "Consents/AcceptTerms",
                "Consents/SetPrivacy", "Consents/WithdrawConsent", "SignInMethods/LinkProvider",
                "SignInMethods/UnlinkMethod", "PhoneSignIn/LinkPhone", "Passkeys/AddPasskey",
                "Passkeys/RenamePasskey", "Passkeys/RemovePasskey",
                "AccountSessions/Reauthenticate", "PushRegistrations/RemovePushDevice",
                "SecondFactors/ConfirmTOTP", "SecondFactors/RemoveSecondFactor",
                "SecondFactors/RegenerateRecoveryCodes", "AccountDeletion/CreateDeletionLink",
                "DataExports/CreateExportLink",
            ]
        ),
        (
            .account, .documentWorkByAccount,
            [
                "Documents/WriteDocument", "Documents/WriteDocuments", "Guests/RetryMigration",
                "Onboarding/CompleteOnboarding",
            ]
        ),
        (
            .account, .profileUpdateByAccount,
            ["Profile/UpdateProfile", "Profile/UploadPhoto", "Profile/RemovePhoto"]
        ),
        (.account, .guestBundleByAccount, ["Guests/UploadGuestBundle"]),
        (.account, .exportByAccount, ["DataExports/RequestDataExport"]),
        (
            .account, .pushDeviceByAccount,
            ["PushRegistrations/RegisterPushDevice", "PushRegistrations/ReplacePushToken"]
        ),
        (.account, .deletionByAccount, ["AccountDeletion/RequestDeletion, at once"]),
        (.account, .pushByAccount, ["BackendPush/SendPushMessage"]),
        (
            .backend, .backendAccountByApplication,
            [
                "BackendAccounts/CreateAccount", "BackendAccounts/ChangeAccount",
                "BackendAccounts/DeleteManagedAccount", "BackendAccounts/SetAccountClaims",
                "BackendAccounts/GetAccountClaims", "BackendAccounts/IssueLink",
            ]
        ),
        (
            .account, .verificationMailByAccount,
            ["Emails/RequestEmailChange", "Emails/ResendVerificationEmail"]
        ),
        (.email, .verificationMailByAccount, ["Emails/ResendVerificationByPassword"]),
        (.account, .challengeCodeByAccount, ["SignInChallenges/SendChallengeCode"]),
        (.account, .parentalMailByAccount, ["Consents/RequestParentalConsent"]),
        (.email, .signInByAccount, ["Auth/SignInWithPassword", "Passwords/ChangePassword"]),
        (.address, .signUpByAddress, ["Auth/SignUpWithPassword", "Emails/CorrectEmail"]),
        (.address, .guestSignUpByAddress, ["Guests/SignInAsGuest"]),
        (
            .address, .passwordResetByAddress,
            [
                "Passwords/RequestPasswordReset", "AccountDeletion/RequestDeletionLink",
                "Auth/DisownSignIn",
            ]
        ),
        (
            .address, .passwordCheckByAddress,
            [
                "SignInOptions/CheckPassword", "Passwords/ResetPassword", "Auth/VerifyEmail",
                "SignInMethods/LinkPassword",
            ]
        ),
        (
            .address, .phoneCodeByAddress,
            ["PhoneSignIn/RequestSignInCode", "PhoneSignIn/RequestPhoneCode"]
        ),
    ]
}
