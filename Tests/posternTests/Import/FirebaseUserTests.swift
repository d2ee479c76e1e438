import Messages
import TestSupport
import Testing

@testable import postern

@Suite("I-03: users of Firebase")
struct FirebaseUserTests {
    private func read(
        _ text: String, prefix: String? = "$firebase-scrypt$m=14,r=8$k=3"
    ) -> (record: ReadRecord, lost: [String]) {
        FirebaseUser(hashPrefix: prefix, providers: FirebaseUser.providers).read(Array(text.utf8))
    }

    @Test("a user is read with all fields, and the hash is converted")
    func whole() throws {
        let (read, lost) = read(ExportFiles.user(7))
        guard case .account(let record) = read else {
            Issue.record("no account")
            return
        }
        #expect(lost == [])
        #expect(
            record
                == IdentityV1.AccountRecord(
                    externalId: "uid7", email: "user7@example.org", emailVerified: true,
                    passwordHash:
                        "$firebase-scrypt$m=14,r=8$k=3$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9Kp6i/LV"
                        + "gQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ",
                    displayName: #"User {7} "]""#,
                    identities: [
                        .init(
                            method: "google", issuer: "https://accounts.google.com", subject: "g7",
                            email: "g7@example.com")
                    ],
                    createdAtMs: 1_500_000_000_000, lastSignInAtMs: 1_600_000_000_000,
                    customClaims: #"{"role":"user"}"#))
    }

    @Test("data that the export does not contain is reported")
    func lost() {
        let losses = [
            (
                #"{"localId":"1","email":"a@b.org","providerUserInfo":[{"providerId":"password"}]}"#,
                ["passwords: the export has no hash"]
            ),
            (
                #"{"localId":"1","email":"a@b.org","passwordHash":"UkVEQUNURUQ=","salt":"AA=="}"#,
                ["passwords: the exporting user may not see them"]
            ),
            (
                #"{"localId":"1","email":"a@b.org","passwordHash":"AAAA","salt":""}"#,
                ["passwords: the export has no salt"]
            ),
            (
                #"{"localId":"1","email":"a@b.org","providerUserInfo":[{"providerId":"facebook.com"}]}"#,
                ["links to facebook.com: unknown, see --provider"]
            ),
            (
                #"{"localId":"1","email":"a@b.org","mfaInfo":[{"phoneInfo":"+1"}],"tenantId":"t"}"#,
                ["second factors: to be set up again", "tenants: imported without them"]
            ),
            (#"{"localId":"1","email":"a@b.org"}"#, []),
        ]
        for (user, lost) in losses {
            let (read, found) = read(user)
            #expect(found == lost)
            guard case .account(let record) = read else {
                Issue.record("no account: \(user)")
                continue
            }
            #expect(record.passwordHash.isEmpty)
        }
    }

    @Test("anonymous users are skipped, and anything but a valid object is rejected")
    func nothing() {
        if case .skipped(let what) = read(#"{"localId":"1","createdAt":"1"}"#).record {
            #expect(what == "anonymous users")
        } else {
            Issue.record("an anonymous user was imported")
        }
        for text in ["[]", #"{"localId":"1","localId":"2"}"#, #"{"localId":"\u0000"}"#] {
            guard case .refused = read(text).record else {
                Issue.record("accepted: \(text)")
                continue
            }
        }
    }

    @Test(
        "a provider can be declared, and hash parameters are read as the console shows them")
    func flags() throws {
        let providers = try ImportCommand.Firebase.providers(["oidc.x=x,https://x.example/a,b"])
        #expect(
            providers["oidc.x"]
                == FirebaseUser.Provider(method: "x", issuer: "https://x.example/a,b"))
        #expect(providers["google.com"]?.method == "google")
        #expect(throws: (any Error).self) { try ImportCommand.Firebase.providers(["x=y"]) }

        let config = try FirebaseUser.HashConfig(ExportFiles.hashConfig)
        #expect(config.rounds == 8 && config.memoryCost == 14 && config.saltSeparator == [7])
        #expect(config.signerKey.count == 64)
        for (part, other) in [
            ("SCRYPT", "BCRYPT"), ("rounds: 8", ""), ("Bw==", "Bw"),
            ("mem_cost: 14", "mem_cost: x"),
        ] {
            #expect(throws: ToolError.self) {
                try FirebaseUser.HashConfig(ExportFiles.hashConfig.replacing(part, with: other))
            }
        }
    }
}
