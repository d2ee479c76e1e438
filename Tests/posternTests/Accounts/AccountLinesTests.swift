import Messages
import Testing

@testable import postern

@Suite("`postern accounts`: arguments and output")
struct AccountLinesTests {
    @Test("I-09: the form of the argument decides what an account is looked up by")
    func search() {
        #expect(AccountsCommand.key("acc_1", subject: nil) == .accountId("acc_1"))
        #expect(
            AccountsCommand.key("+4915112345678", subject: nil)
                == .phoneNumber("+4915112345678"))
        #expect(
            AccountsCommand.key("Ada@example.org", subject: nil) == .email("Ada@example.org")
        )
        #expect(
            AccountsCommand.key("https://accounts.google.com", subject: "17")
                == .providerSubject(.init(issuer: "https://accounts.google.com", subject: "17")))
    }

    @Test("I-01: every known field is shown, and fields without a value are left out")
    func lines() {
        let account = GatewayV1.AdminAccount(
            account: GatewayV1.Account(
                accountId: "acc_1", email: "a…@example.org", emailVerified: true,
                createdAtMs: 1_795_248_340_254, status: .suspended, methods: ["password", "apple"]),
            suspension: .init(reason: "spam", suspendedAtMs: 1_795_248_340_254),
            activity: .init(liveSessions: 0, lastSeen: .lastSeenAtMs(1_795_248_340_254)),
            deletion: .init(state: .waiting, requestedAtMs: 1, dueAtMs: 1_795_248_340_254))
        #expect(
            account.details.record == [
                "account        acc_1", "status         suspended",
                "suspended      2026-11-21T08:05:40.254Z: spam",
                "deletion       waiting until 2026-11-21T08:05:40.254Z",
                "email          a…@example.org (verified)", "methods        password, apple",
                "made           2026-11-21T08:05:40.254Z", "sessions       0",
                "last seen      2026-11-21T08:05:40.254Z",
            ])
        #expect(
            account.row.line
                == "acc_1  suspended  made 2026-11-21  never signed in  a…@example.org")
    }

    @Test("A-01: an entry of an activity says how, from where and by whom, without empty fields")
    func activity() {
        let entry = GatewayV1.ActivityEntry(
            atMs: 1_795_248_340_254, kind: "sign-in.failed", detail: "password",
            outcome: "auth/invalid-credential", country: "DE", agent: "firefox 131, linux",
            app: "shop-web")
        #expect(
            GatewayV1.AccountActivityEntry(entry: entry).row.line
                == "2026-11-21T08:05:40.254Z  sign-in.failed  password  auth/invalid-credential  "
                + "DE  firefox 131, linux  app shop-web")
        let looked = GatewayV1.AccountActivityEntry(
            entry: .init(atMs: 1_795_248_340_254, kind: "account.shown"), actor: "tool/ann")
        #expect(
            looked.row.line == "2026-11-21T08:05:40.254Z  account.shown  done  by tool/ann")
    }

    @Test("the last sign-in and the last activity are shown where there are any")
    func times() {
        let account = GatewayV1.AdminAccount(
            account: GatewayV1.Account(
                accountId: "acc_1", createdAtMs: 1_795_248_340_254, status: .active,
                lastSignIn: .lastSignInAtMs(1_795_248_340_254)),
            activity: .init(liveSessions: 1, lastActivity: .lastActivityAtMs(1_795_248_340_254)))
        #expect(account.row.line == "acc_1  active  made 2026-11-21  signed in 2026-11-21")
        let lines = account.details.record
        #expect(lines.contains("last sign-in   2026-11-21T08:05:40.254Z"))
        #expect(lines.contains("last activity  2026-11-21T08:05:40.254Z"))
    }

    @Test("I-11: that the owner was old enough, and the last verification mail, are shown")
    func facts() {
        let account = GatewayV1.AdminAccount(
            account: GatewayV1.Account(
                accountId: "acc_1", isAgeVerified: true,
                verificationMail: .verificationMailSentAtMs(1_795_248_340_254)))
        let lines = account.details.record
        #expect(lines.contains { $0.hasPrefix("age ") && $0.hasSuffix(" old enough") })
        #expect(
            lines.contains {
                $0.hasPrefix("verify mail ") && $0.hasSuffix(" 2026-11-21T08:05:40.254Z")
            })
    }

    @Test("X-07: if the session service is unavailable, the output says so")
    func away() {
        let account = GatewayV1.AdminAccount(account: GatewayV1.Account(accountId: "acc_1"))
        #expect(
            account.details.record.last
                == "sessions       not known: session cannot be reached")
    }

    @Test("I-04: an unused guest's line says when it was seen and when it goes")
    func guests() {
        let guest = GatewayV1.UnusedGuest(
            accountId: "acc_1", lastSeenAtMs: 1_795_248_340_254, deletedAtMs: 1_810_800_340_254)
        #expect(guest.row.line == "acc_1  last seen 2026-11-21  will be deleted 2027-05-20")
        let kept = GatewayV1.UnusedGuest(accountId: "acc_1")
        #expect(kept.row.line == "acc_1  last use not known  kept")
    }

    @Test("I-09: an orphan's line says where it is, and whether it can be repaired")
    func orphans() {
        let orphan = GatewayV1.Orphan(
            kind: "session", accountId: "acc_1", service: "session", repairable: true)
        #expect(orphan.row.line == "session  acc_1  at session")
        let keyless = GatewayV1.Orphan(
            kind: "account-without-key", accountId: "acc_2", service: "identity")
        #expect(keyless.row.line == "account-without-key  acc_2  at identity  not repairable")
    }

    @Test("an empty list of orphans says whether all services have been checked")
    func noOrphans() {
        let nothing = AccountsCommand.Orphans.List.nothing
        #expect(nothing(1_795_248_340_254) == "no orphans; checked 2026-11-21T08:05:40.254Z")
        #expect(nothing(0) == "nothing found, but not every service has been checked yet")
    }

    @Test(
        "a day is parsed as its first moment in UTC",
        arguments: [
            ("1970-01-01", Int64(0)), ("1970-12-31", 364), ("2000-02-29", 11_016),
            ("2024-02-29", 19_782), ("2026-11-21", 20_778), ("2100-03-01", 47_541),
        ])
    func day(text: String, days: Int64) {
        #expect(Moment(argument: text)?.milliseconds == days * 86_400_000)
    }

    @Test(
        "a text that is not a valid day is rejected",
        arguments: [
            "", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2100-02-29", "2026-04-31",
            "1969-12-31", "2026-1-1", "26-01-01", "2026-01-01T00", "२०२६-01-01", "2026--1-01",
        ])
    func noDay(text: String) {
        #expect(Moment(argument: text) == nil)
    }
}
