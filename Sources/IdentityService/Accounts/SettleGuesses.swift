import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Says of which guesses a wrong password was compared. The others become void: they do not
    /// count, and if one of them still runs, its result is not returned. Called by the gateway,
    /// before it refuses a known device (R-03, `ChargedGuess`).
    func settleGuesses(
        _ request: IdentityV1.SettleGuessesRequest, _ context: CallContext
    ) async throws -> IdentityV1.SettleGuessesResponse {
        guard let charges = UnsettledGuess.charges(request.chargeIds) else {
            throw ServiceError(.invalidArgument, fields: ["charge_ids"])
        }
        let wrong = try await store.write(about: []) { transaction in
            try charges.filter { try transaction.settle(ChargedGuess(charge: $0)) }
        }
        return IdentityV1.SettleGuessesResponse(wrong: wrong.map(UnsettledGuess.text))
    }
}

/// A guess at a password whose charge the rate limiter settles later, if the gateway reports no
/// outcome: because the caller or the gateway has gone, or this service did not answer in
/// time. Only guesses from known devices are (`TrustedLane`).
///
/// A row of `guesses` has its outcome, and the first one that is written stays:
///
///     row     event                              row after   result
///     none    a wrong password was compared      wrong       `auth/invalid-credential`
///     none    the right one was compared         none        as `SignInRule`
///     none    the gateway asks                   void        does not count: it is refunded
///     wrong   the gateway asks                   wrong       counts: the charge stays
///     wrong   a repeat of the call is compared   wrong       as without a row
///     void    the gateway asks again             void        does not count
///     void    the guess begins                   void        `rpc/unavailable`, not compared
///     void    a password was compared            void        `rpc/unavailable`, right or wrong
///
/// **A caller learns that a password is wrong only after its row says so, and then its charge
/// stays.** The row is written in the transaction of the audit event, before the response. A void
/// guess has no such row and never gets one, so it returned nothing. So "5 in 15 minutes" holds for
/// all passwords that a caller has an answer about, whatever was refunded.
///
/// A guess that runs, or waits for a thread, while the gateway asks is void too. Its caller gets
/// `rpc/unavailable` and can try again. This happens only to guesses that have taken longer than
/// `UnsettledGuesses.askedAfter`, and only if the same device makes so many that it is refused.
///
/// The attacks:
/// - *The caller cancels, or its deadline passes, between the time of a right and a wrong
///   password*: a right one is answered, and a wrong one would be void. So the outcome of a wrong
///   password is written although its caller has gone (`SignInAttempt.refused`).
/// - *The guess is asked about in between*: both outcomes are then the same error after the same
///   time, as after a failure of the store (`AccountsHandler.check`).
/// - *The gateway or this program is killed after the comparison*: what was not written was not
///   answered. What was written counts, also after a restart.
/// - *One charge for many passwords*: the gateway gives each guess the id of a charge of its own. A
///   call that is repeated under an idempotency key with another password is charged again.
/// - *A guess is delayed until its row has expired*: it is stored for longer than a call, or a
///   connection without an answer, lives.
/// - *Another caller asks, to learn whether a guess was right*: a right guess and one that was not
///   compared get the same answer, and ids are random. Only the gateway gets them.
/// - *Void guesses without end fill the disk*: each needs a charge that is older than
///   `UnsettledGuesses.askedAfter`, of which an address has 50 at once. At most 100 rows a second
///   are stored for half an hour, some 10 MB.
///
/// A restored copy of the store has no guesses since the backup: five more for each known device.
struct ChargedGuess: Hashable, Sendable {
    /// The id of its charge at the rate limiter.
    let charge: Int64

    /// A guess with the id of this charge.
    init(charge: Int64) {
        self.charge = charge
    }

    /// The guess of a request; nil if its charge is not settled later.
    /// - Throws: `rpc/invalid-argument` for a text that is no id.
    init?(_ chargeID: String) throws(ServiceError) {
        guard !chargeID.isEmpty else { return nil }
        guard let charge = UnsettledGuess.charge(chargeID) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
        self.charge = charge
    }
}

extension SQLSession {
    /// Whether a wrong password was compared; nil if there is no row. An expired row that is still
    /// there is as true as before.
    fileprivate func isWrong(_ guess: ChargedGuess) throws -> Bool? {
        try queryOne(
            "SELECT is_wrong FROM guesses WHERE charge = ?", [.integer(guess.charge)]
        ) { try $0.integer(0) != 0 }
    }

    /// Refuses a guess that is void.
    /// - Throws: `rpc/unavailable`.
    func requireNotVoid(_ guess: ChargedGuess?) throws {
        guard let guess, try isWrong(guess) == false else { return }
        throw ServiceError(.unavailable, detail: "the guess was settled before it was compared")
    }
}

extension Transaction {
    /// Makes a guess void unless a wrong password was compared.
    /// - Returns: whether it was.
    fileprivate func settle(_ guess: ChargedGuess) throws -> Bool {
        try record(guess, isWrong: false)
        return try isWrong(guess) ?? false
    }

    /// Records that a wrong password was compared.
    /// - Throws: as `requireNotVoid`.
    func recordWrong(_ guess: ChargedGuess?) throws {
        guard let guess else { return }
        try record(guess, isWrong: true)
        try requireNotVoid(guess)
    }

    private func record(_ guess: ChargedGuess, isWrong: Bool) throws {
        try put(
            """
            INSERT INTO guesses (charge, is_wrong, expires_at_ms) VALUES (?, ?, ?)
            ON CONFLICT (charge) DO NOTHING
            """,
            [
                .integer(guess.charge), .integer(isWrong ? 1 : 0),
                SQLValue(at + UnsettledGuess.retention),
            ])
    }
}

extension IdentityTables {
    /// The outcomes of guesses by the random ids of their charges.
    package static let guesses = """
        CREATE TABLE guesses (
            charge INTEGER PRIMARY KEY,
            is_wrong INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX guesses_by_expiry ON guesses (expires_at_ms);
        """
}
