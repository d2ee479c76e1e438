import Contracts
package import Cryptography
package import Logging
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.Imports`: import and export of accounts (I-03), for `postern import` and
/// `postern export`. Each rpc is in the file of its name: `keepHashParameters`, `importAccounts`,
/// `lookUpImported`, `exportAccounts`.
///
/// For the operator's tool only: an import can create an account for any free address, and an
/// export reveals everything.
package struct ImportsHandler: ImportsService {
    /// Maximum accounts in a batch. A batch is one write transaction, which blocks all other
    /// writers: 200 accounts take some 10 ms.
    static let accountsMax = 200

    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordHashPool
    let responseTimeFloor: ResponseTimeFloor
    let time: any Time
    let randomness: any Randomness
    let answers: AccountAnswers
    let logger: Logger
    let rowKeys: ImportedAccount.RowKeys

    /// Creates the handler.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys, passwords: PasswordHashPool,
        responseTimeFloor: ResponseTimeFloor, time: any Time, randomness: any Randomness,
        rules: Reloadable<DocumentRules>, logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.passwords = passwords
        self.responseTimeFloor = responseTimeFloor
        self.time = time
        self.randomness = randomness
        answers = AccountAnswers(
            settings: settings, store: store, keys: keys, randomness: randomness, rules: rules)
        self.logger = logger
        rowKeys = ImportedAccount.RowKeys(randomness: randomness)
    }

    var projects: FirebaseProjects { FirebaseProjects(store: store, keys: keys) }
}
