/// Names that methods had in the release before this one. Clients that were not updated yet, and
/// the lines of a callers file, may still use them; a callers file that does is reported by a
/// warning. An entry is deleted one release later.
enum FormerMethodNames {
    /// Services that are gone, with those that have their methods now. A callers file that names one
    /// permits nothing by that; its warning names the current one.
    static let movedServices = [
        "postern.identity.v1.AccountAdmin": "postern.gateway.v1.Admin",
        "postern.identity.v1.AccountDocuments": "postern.gateway.v1.Documents",
        "postern.identity.v1.AccountOnboarding": "postern.gateway.v1.Onboarding",
        "postern.identity.v1.AccountProfiles": "postern.gateway.v1.Profile",
        "postern.identity.v1.GuestData": "postern.gateway.v1.Guests",
        "postern.identity.v1.ProviderEvents": "postern.gateway.v1.ProviderNotices",
        "postern.identity.v1.SignInSettings": "postern.gateway.v1.SignInOptions",
    ]

    /// Each former name with the current one.
    static let current = [
        "postern.gateway.v1.Auth/Refresh": "postern.gateway.v1.Auth/RefreshSession",
        "postern.gateway.v1.Guests/SignInAnonymously": "postern.gateway.v1.Guests/SignInAsGuest",
        "postern.gateway.v1.Passwords/ResendVerificationEmail":
            "postern.gateway.v1.Emails/ResendVerificationEmail",
        "postern.gateway.v1.ProviderNotices/DescribeOutcome":
            "postern.gateway.v1.ProviderNotices/DescribeProviderOutcome",
        "postern.gateway.v1.ProviderNotices/Receive":
            "postern.gateway.v1.ProviderNotices/ReceiveProviderNotice",
        "postern.gateway.v1.SignInMethods/ListMethods":
            "postern.gateway.v1.SignInMethods/ListSignInMethods",
        "postern.gateway.v1.Verification/KeySet": "postern.gateway.v1.Verification/GetKeySet",
        "postern.gateway.v1.Verification/WatchEnds":
            "postern.gateway.v1.Verification/WatchRevocations",
        "postern.reflection.v1.Reflection/Describe":
            "postern.reflection.v1.Reflection/DescribeService",
        "postern.reflection.v1.Reflection/List": "postern.reflection.v1.Reflection/ListServices",
        "postern.session.v1.Sessions/Create": "postern.session.v1.Sessions/CreateSession",
        "postern.session.v1.Sessions/Validate": "postern.session.v1.Sessions/ValidateAccessToken",
        "postern.session.v1.Sessions/Inspect": "postern.session.v1.Sessions/InspectSession",
        "postern.session.v1.Sessions/EndAccount": "postern.session.v1.Sessions/EndAccountSessions",
        "postern.session.v1.AccountActivity/AccountActivity":
            "postern.session.v1.AccountActivity/GetAccountActivity",
        "postern.session.v1.SessionEnds/WatchEnds":
            "postern.session.v1.SessionEnds/WatchRevocations",
    ]
}
