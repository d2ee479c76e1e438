import Testing

@Suite("One vocabulary: the field's words")
struct VocabularyTests {
    /// Former names of types, in words of this project's own, each with the field's word that
    /// replaced it (`Sources/README.md`, glossary). A reader who searches for the old name finds
    /// the new one.
    private static let renamed: [String: String] = [
        // Federated sign-in. Admission now means load shedding only.
        "AdmissionCall": "FederatedSignInCall", "AdmissionOutcome": "FederatedSignInOutcome",
        "AdmissionRecord": "FederatedSignInRecord", "AdmissionSteps": "FederatedSignInTransaction",
        "AdmissionWriting": "FederatedSignInTransaction", "Admitted": "CommittedSignIn",
        "AskingGuest": "GuestSession", "AskingSession": "CallingSession",
        // Revocations, which verifiers of tokens receive.
        "EndedSession": "RevokedSession", "EndedSessions": "RevokedSessions",
        "EndsBell": "WakeSignal", "EndsFeed": "RevocationRelay",
        "EndsFollower": "RevocationFollower", "EndsLog": "RevocationLog",
        "EndsNews": "RevocationUpdate", "EndsPages": "RevocationPages",
        "EndsRelay": "RevocationRelay", "Followed": "Broadcaster",
        "Hearing": "RevocationFeedState", "PlacedEnd": "Revocation",
        "RecentEnds": "RecentRevocations",
        // Tokens and keys.
        "KeyFetches": "JWKSRefreshPolicy", "KeySetFetch": "JWKSFetcher",
        "KnownToken": "CachedToken", "KnownTokens": "TokenCache",
        "ProofMaking": "ProofIssuer", "ProviderKeys": "JWKSCache",
        "RefusedUses": "RejectedTokenCounter", "RefusedUseWriting": "writeRejectedTokens",
        "TokenIssuing": "issueTokens", "UnknownKeyTurn": "UnknownKeyFetch",
        "VerifiedTokens": "VerifiedTokenCache",
        "KeysInForce": "CurrentSigningKeys", "SigningKeyMaker": "SigningKeyGenerator",
        "KeyPlace": "JWKSLocation", "KeySetLife": "JWKSLife",
        // Mails, documents and files.
        "DeletionTools": "DeletionContext", "DocumentRule": "DocumentViolation",
        "DraftedSection": "SectionWithDraft", "LimitJournalPlace": "LimitJournalLocation",
        "MailDelivery": "EmailRoute", "MailRoute": "MailTransport",
        "PhotoReader": "ByteCursor", "RestoredStore": "IdentityRestore",
        "SMTPRoute": "SMTPTransport", "SealedArchive": "ExportArchiveWriter",
        "WebhookTry": "WebhookRetryRule",
        // Calls.
        "CallCaller": "CallIdentity", "HTTPConnection": "HTTPClientInfo",
        // Sessions.
        "SessionRoom": "SessionDisplacement", "SessionUpkeep": "SessionMaintenance",
        "SessionWork": "SessionBackgroundTasks",
        // Limits.
        "CountedCode": "countingPhoneCode", "CountedGuess": "countingPasswordGuess",
        "CountedToken": "countingProviderToken", "LimitedMail": "charging",
        "LimitGuard": "RateLimiter",
        "AddressFold": "AddressPrefix", "AskedCharge": "RequestedCharge",
        "LimitRoom": "CapacityClass", "LimitStripes": "LimitShards",
        "PhoneFold": "PhonePrefix", "RulesAtHand": "RuleCache", "Stripe": "Shard",
        "StripeChanges": "ShardChanges", "StripeLocks": "ShardLocks",
        "SubjectNamer": "SubjectSource",
        "AttemptLock": "Lockout", "ExactRing": "SlidingWindowLog",
        "GraduatedLadder": "EscalatingDelay", "SteadyRate": "GCRA",
        "StuffingAlarm": "CredentialStuffingDetector", "StuffingRule": "CredentialStuffingRule",
        // Passwords.
        "HashHandover": "CompletionBatcher", "PasswordSlots": "ResponseTimeFloor",
        // Mails, texts and push messages.
        "AddressDesk": "AddressesHandler", "AddressStop": "SuppressionList",
        "ClaimRoom": "ClaimBudget", "DeliveryAlarm": "WakeSignal",
        "KeptEvent": "StoredEvent", "LaneShares": "PriorityScheduler",
        "MailCourse": "SMTPFailover", "NumberChangeWord": "NumberChangeMessage",
        "OutboxOperations": "OutboxHandler", "OutboxUpkeep": "LogTruncation",
        "ProviderGate": "ProviderGuard",
        "ProviderTurns": "ProviderRateLimiter", "RecipientTurns": "RecipientRateLimiter",
        "RelayDesk": "RelayAddressesHandler", "ShortWording": "TemplateCatalogue",
        "StoppedAddresses": "SuppressionList", "StoppedAddressList": "SuppressionList",
        "WorkInHand": "InFlightMessages",
        // The operator's calls.
        "LimitOperations": "LimitOperationHandler", "RefreshKeyOperations": "RefreshKeysHandler",
        "SigningKeyOperations": "SigningKeysHandler", "WebhookOperations": "WebhooksHandler",
        // Calls and connections.
        "ConnectionRoom": "ConnectionLimiter", "LaneGate": "LaneLimiter", "Leash": "TimerTarget",
        "LeanReceiving": "ReceiveBufferAllocator", "LentBytes": "BorrowedBytes",
        "MetricsDoor": "MetricsConnectionGuard", "MetricsGuests": "MetricsConnectionCount",
        "NotOrdinary": "NonCanonicalEncoding", "OrdinaryReader": "CanonicalReader",
        "OverloadSign": "CoDel", "PingPolice": "PingRateLimiter",
        "QueuePace": "DrainRateEstimate", "SilentPeer": "TCPUserTimeout",
        "TLSGate": "TLSPeerCheck",
        // Stores and background work.
        "AccountReading": "AccountReader", "ActivityWriting": "writeActivity",
        "AppleGate": "AppleGuard", "Bell": "WakeSignal", "DoublingWait": "Backoff",
        "FirstAnswer": "StoredGrant",
        "HashThread": "OSThread", "Live": "Reloadable",
        "OnwardKey": "DerivedIdempotencyKey", "SignInNews": "SignInHistory",
        "SignInNoting": "SignInRecorder",
        "WorkerThread": "OSThread", "WriterTurns": "WriterWatchdog",
    ]

    /// Former names of functions, properties and cases, each with the current name. They are whole
    /// identifiers with one meaning, so they may not occur in code at all.
    private static let renamedMembers: [String: String] = [
        "accountEndKeptFor": "accountEndRetention", "begunAnew": "restartedCharges",
        "doHear": "haveReceived", "endedSessionsKept": "endedSessionRetention",
        "givenBack": "refunded", "keptForMax": "retentionMax",
        "makePatient": "makeNonBlocking", "makeRoom": "displaceSessions",
        "recoveryPatience": "recoveryTimeout", "revocationsKeptFor": "revocationRetention",
        "setPatience": "setTimeouts", "startAnew": "restartAfterBoot",
        "tellsHealth": "reportsHealth", "unaskedMail": "unrequestedMail",
        "untilAllAreTold": "untilAllAreNotified", "untilAllHear": "untilAllReceive",
    ]

    @Test("no type has a name of this project's own if the field has a word for it")
    func types() throws {
        let checkout = try Checkout.here.get()
        let paths = ["Sources/", "Tests/", "Protos/"].flatMap {
            checkout.written(below: $0, suffix: ".swift")
        }
        expectNone(try paths.flatMap { Self.findings(in: try SwiftSource($0, in: checkout)) })
    }

    @Test("no function, property or case has a former name")
    func members() throws {
        let checkout = try Checkout.here.get()
        let paths = ["Sources/", "Tests/", "Protos/"].flatMap {
            checkout.written(below: $0, suffix: ".swift")
        }
        expectNone(try paths.flatMap { Self.members(in: try SwiftSource($0, in: checkout)) })
    }

    @Test("a former name is found as a whole identifier, outside of comments and strings")
    func membersTwin() {
        let text = """
            // setPatience
            socket.setPatience(5)
            print("setPatience", setPatienceNow, resetPatience)
            """
        let found = Self.members(in: SwiftSource(path: "x", text: text))
        #expect(found.map(\.line) == [2])
        #expect(found.allSatisfy { $0.complaint.hasSuffix("write setTimeouts") })
    }

    @Test("every new name is declared in the checkout")
    func newWords() throws {
        let checkout = try Checkout.here.get()
        var declared: Set<String> = []
        for path in checkout.written(below: "Sources/", suffix: ".swift") {
            let source = try SwiftSource(path, in: checkout)
            declared.formUnion(Declarations.typesAndFunctions(of: source).map(\.name))
        }
        #expect(Set(Self.renamed.values).subtracting(declared).sorted() == [])
    }

    @Test("an old name is found, as a type or a test suite, and the message gives the new one")
    func twin() {
        let text = """
            /// struct Bell
            private final class Bell: Sendable {
                func ring() {}
            }
            struct BellTests {
                let bell = "struct Bell {"
            }
            package struct Bells {}
            """
        let found = Self.findings(in: SwiftSource(path: "x", text: text))
        #expect(found.map(\.line) == [2, 5])
        #expect(found.allSatisfy { $0.complaint.hasSuffix("write WakeSignal") })
    }

    private static func members(in source: SwiftSource) -> [Finding] {
        renamedMembers.flatMap { old, new in
            source.lineIndices(containing: old)
                .filter { index in
                    source.code[index].split { !($0.isLetter || $0.isNumber || $0 == "_") }
                        .contains(Substring(old))
                }
                .map {
                    Finding(
                        path: source.path, line: $0 + 1,
                        complaint: "\(old) is a word of our own: write \(new)")
                }
        }
    }

    private static func findings(in source: SwiftSource) -> [Finding] {
        Declarations.typesAndFunctions(of: source).compactMap { declared in
            guard declared.keyword != "func", let new = renamed[subject(of: declared.name)]
            else { return nil }
            return Finding(
                path: source.path, line: declared.index + 1,
                complaint: "\(declared.name) is a word of our own: write \(new)")
        }
    }

    /// The type that a test suite is named after; for any other type its own name.
    private static func subject(of name: String) -> String {
        name.hasSuffix("Tests") ? String(name.dropLast("Tests".count)) : name
    }
}
