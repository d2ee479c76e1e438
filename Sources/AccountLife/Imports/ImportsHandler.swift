import Contracts
import Cryptography
package import IdentityService
import Logging
import ServiceRuntime
import Storage

/// `postern.identity.v1.Imports`: import and export of accounts (I-03), for `postern import` and
/// `postern export`.
///
/// For the operator's tool only: an import can create an account for any free address, and an
/// export reveals everything.
package struct ImportsHandler: ImportsService, AccountWriting {
    /// Maximum accounts in a batch. A batch is one write transaction, which blocks all other
    /// writers: 200 accounts take some 10 ms.
    static let accountsMax = 200

    let settings: IdentitySettings
    let store: Store
    /// Writes accounts.
    package let writer: AccountWriter
    let passwords: PasswordHashPool
    let responseTimeFloor: ResponseTimeFloor
    let time: any Time
    let answers: AccountAnswers
    let logger: Logger
    let rowKeys: ImportedAccount.RowKeys

    /// Creates the handler.
    init(
        answers: AccountAnswers, passwords: PasswordHashPool, responseTimeFloor: ResponseTimeFloor,
        time: any Time, logger: Logger
    ) {
        settings = answers.settings
        store = answers.store
        writer = answers.writer
        self.answers = answers
        self.passwords = passwords
        self.responseTimeFloor = responseTimeFloor
        self.time = time
        self.logger = logger
        rowKeys = ImportedAccount.RowKeys(randomness: answers.randomness)
    }

    var projects: FirebaseProjects { FirebaseProjects(store: store, keys: keys) }
}
