import Messages
package import ServiceRuntime
package import Storage

/// Where an account was signed in from (G-08): countries and cities, or networks where the place is
/// unknown. Pure; it is stored as one blob under the account's key, so that a stolen store tells
/// nothing of it.
///
///     the sign-in is from   and the memory has                      it is new   the memory then
///     any                   nothing of its kind                     no          adds it
///     a city                that city                               no          has its time
///     a city                its country without a city              no          has the city there
///     a city                other places only                       yes         adds it
///     a country alone       a place in that country                 no          has its time
///     a country alone       other countries only                    yes         adds it
///     a network             that network                            no          has its time
///     a network             other networks only                     yes         adds it
///
/// *Nothing of its kind* is the first sign-in, an account that is older than the memory, and an
/// operator who has set or removed a place file: a place and a network cannot be compared. A file of
/// countries that is replaced by one of cities makes no place new.
///
/// Attack: somebody with a stolen password signs in from an address that the place file lacks, or of
/// which it has the country alone, near the owner. The device is new all the same.
package struct SignInMemory: Hashable, Sendable {
    /// Places and networks of an account. Beyond this, the least recently used one is dropped; it
    /// counts as new when it returns. Only those who sign in to the account fill it, and its owner
    /// is notified of each new one.
    static let originsMax = 16

    /// Where a sign-in is from.
    enum Origin: Hashable, Sendable {
        /// The country's two letters, and the city, which is empty if it is unknown.
        case place(country: String, city: String)
        /// The keyed hash of a network (`CallOrigin.network`).
        case network([UInt8])

        /// Nil if nothing is known.
        init?(_ origin: CallOrigin) {
            if let place = origin.place {
                self = .place(country: place.country, city: place.city)
            } else if let network = origin.network {
                self = .network(network)
            } else {
                return nil
            }
        }
    }

    /// One of them, with the times of sign-ins from there.
    package struct Known: Hashable, Sendable {
        var origin: Origin
        /// The first one.
        package let first: Timestamp
        /// The latest one.
        package fileprivate(set) var last: Timestamp

        /// The place; nil for a network.
        package var place: Place? {
            guard case .place(let country, let city) = origin else { return nil }
            return Place(country: country, city: city)
        }

        /// Whether a sign-in is from there, as far as both are known.
        fileprivate func matches(_ other: Origin) -> Bool {
            guard case .place(let country, let city) = origin,
                case .place(let otherCountry, let otherCity) = other
            else { return origin == other }
            return country == otherCountry && (city.isEmpty || otherCity.isEmpty)
                || origin == other
        }

        fileprivate func isOfKind(_ other: Origin) -> Bool {
            switch (origin, other) {
            case (.place, .place), (.network, .network): true
            case (.place, .network), (.network, .place): false
            }
        }
    }

    /// In the order in which they were first seen.
    package private(set) var all: [Known] = []

    /// A memory of nothing.
    init() {}

    /// Records a sign-in.
    /// - Returns: whether its place is new.
    mutating func record(_ origin: Origin, at moment: Timestamp) -> Bool {
        if let index = index(of: origin) {
            all[index].last = moment
            if case .place(_, let city) = origin, !city.isEmpty { all[index].origin = origin }
            return false
        }
        let isNew = all.contains { $0.isOfKind(origin) }
        if all.count >= Self.originsMax { removeOldest() }
        all.append(Known(origin: origin, first: moment, last: moment))
        return isNew
    }

    /// The same place comes before another one that matches, and of those the latest.
    private func index(of origin: Origin) -> Int? {
        all.firstIndex { $0.origin == origin }
            ?? all.indices.filter { all[$0].matches(origin) }.max { all[$0].last < all[$1].last }
    }

    private mutating func removeOldest() {
        guard let oldest = all.indices.min(by: { all[$0].last < all[$1].last }) else { return }
        all.remove(at: oldest)
    }

    /// Where the sign-in at `moment` was, for the next one; nil if that is unknown.
    func place(at moment: Timestamp) -> Place? {
        all.last { $0.last == moment }?.place
    }
}

/// The stored form.
extension SignInMemory {
    /// The bytes to seal.
    var bytes: [UInt8] {
        IdentityV1.StoredSignInMemory(
            origins: all.map { known in
                let (first, last) = (known.first.milliseconds, known.last.milliseconds)
                return switch known.origin {
                case .place(let country, let city):
                    IdentityV1.StoredSignInOrigin(
                        country: country, city: city, firstAtMs: first, lastAtMs: last)
                case .network(let network):
                    IdentityV1.StoredSignInOrigin(
                        network: network, firstAtMs: first, lastAtMs: last)
                }
            }
        ).encoded()
    }

    /// Reads `bytes`.
    /// - Throws: a decoding error for anything else: only this service writes it.
    package init(_ bytes: [UInt8]) throws {
        all = try IdentityV1.StoredSignInMemory(decoding: bytes).origins.map { stored in
            Known(
                origin: stored.country.isEmpty
                    ? .network(stored.network)
                    : .place(country: stored.country, city: stored.city),
                first: Timestamp(milliseconds: stored.firstAtMs),
                last: Timestamp(milliseconds: stored.lastAtMs))
        }
    }
}

/// The memories of accounts. The release before this one leaves the table alone; if it deletes an
/// account, the row goes too.
extension IdentityTables {
    /// The table `sign_in_memory`.
    package static let signInMemory = """
        CREATE TABLE sign_in_memory (
            account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
            sealed BLOB NOT NULL
        ) STRICT;
        """
}

extension SQLSession {
    /// The memory of an account as it is stored; nil for none.
    /// - Throws: `SQLError`.
    package func sealedSignInMemory(of account: AccountID) throws -> [UInt8]? {
        try queryOne(
            "SELECT sealed FROM sign_in_memory WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
    }

    /// The key of an account and its memory, as they are stored; nil without an account. One
    /// statement, since every sign-in reads both.
    fileprivate func keyAndSignInMemory(
        of account: AccountID
    ) throws -> (sealedKey: [UInt8], sealedMemory: [UInt8]?)? {
        try queryOne(
            """
            SELECT sealed_key, sealed FROM account_keys
            LEFT JOIN sign_in_memory ON sign_in_memory.account = account_keys.account
            WHERE account_keys.account = ?
            """, [.integer(account.key)]
        ) { (sealedKey: try $0.blob(0), sealedMemory: try $0.optionalBlob(1)) }
    }
}

extension Transaction {
    /// Records where a sign-in is from.
    /// - Parameters:
    ///   - origin: Nil if it is unknown: nothing is recorded, and the place is not new.
    ///   - before: The time of the previous sign-in; nil for the first.
    /// - Returns: whether the place is new, and where the previous sign-in was, sealed for stored
    ///   responses; empty if that is unknown.
    /// - Throws: `SQLError`; `rpc/internal` without an account; if the account's key does not
    ///   decrypt.
    func recordSignIn(
        from origin: SignInMemory.Origin?, before: Timestamp?, to account: AccountID,
        _ reader: AccountReader
    ) throws -> (isNew: Bool, sealedPreviousPlace: [UInt8]) {
        guard let (sealedKey, sealedMemory) = try keyAndSignInMemory(of: account) else {
            throw ServiceError(.internalError, detail: "an account that signs in has no key")
        }
        let vault = try reader.vault(of: account, sealedKey: sealedKey)
        var memory =
            try sealedMemory.map { try SignInMemory(vault.openBytes($0, .signInMemory)) }
            ?? SignInMemory()
        let previous = before.flatMap { memory.place(at: $0) }?.shown
        var isNew = false
        if let origin {
            isNew = memory.record(origin, at: at)
            try put(
                """
                INSERT INTO sign_in_memory (account, sealed) VALUES (?, ?)
                ON CONFLICT (account) DO UPDATE SET sealed = excluded.sealed
                """, [.integer(account.key), .blob(vault.seal(memory.bytes, .signInMemory))])
        }
        return (isNew, try previous.map { try vault.seal($0, .previousPlace) } ?? [])
    }

    /// Forgets where an account was signed in from.
    /// - Throws: `SQLError`.
    func removeSignInMemory(of account: AccountID) throws {
        try put("DELETE FROM sign_in_memory WHERE account = ?", [.integer(account.key)])
    }
}
