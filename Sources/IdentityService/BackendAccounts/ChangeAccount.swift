import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension BackendAccountsHandler {
    /// Changes an account for a backend (I-10): reads the request, hashes, writes, responds. Of what
    /// it changes, the rest of the account follows:
    ///
    ///     changed                links, codes,     sessions   notice to the owner
    ///                            pending changes
    ///     email, to another      void              end        at the former address
    ///     email, verified        its link is void  stay       no
    ///     password               void              end        at the former address, and the new one
    ///     number, added          stay              stay       by the ways of before
    ///     number, replaced or    void              end        the same
    ///     removed
    ///     display name           stay              stay       no
    ///
    /// The end raises the session generation. A suspended account stays suspended. A repeat gets the
    /// account as it is then (`createAccount`).
    ///
    /// Attack: a thief of a backend's key gives an account another address, and the person never
    /// learns of it. So the notice goes to the ways that the account had before.
    func changeAccount(
        _ request: GatewayV1.ChangeAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChangeAccountResponse {
        let call = try await calls.call(
            BackendAccountsDescription.changeAccount, request, context)
        let change = try Change(request, settings)
        let now = time.now()
        let (isRepeat, row) = try await store.read { session in
            (
                try session.storedResponse(of: call.repeatable, at: now) != nil,
                try session.managedRow(call.account)
            )
        }
        let hash = try await isRepeat ? nil : hash(change, row)
        let changed = try await untilUnchanged { try await write(change, hash, call) }
        return GatewayV1.ChangeAccountResponse(account: try await answers.account(changed))
    }

    private func hash(_ change: Change, _ row: AccountRow) async throws -> String? {
        guard !change.password.isEmpty else { return nil }
        try change.require(row)
        let name = try reader.vault(row).open(row.sealedDisplayName, .displayName)
        return try await hash(
            change.password, change.address ?? reader.address(row), change.displayName ?? name)
    }

    /// - Returns: nil if another writer took the address or the number between the look-up and the
    ///   write.
    private func write(
        _ change: Change, _ hash: String?, _ call: AccountCall
    ) async throws -> AccountRow? {
        do {
            return try await store.write(about: [.account(call.account)]) { transaction in
                let row = try transaction.managedRow(call.account)
                if try transaction.storedResponse(of: call.repeatable) != nil { return row }
                try change.require(row)
                let plan = try plan(change, hash, row, transaction)
                try apply(plan, to: row, call, transaction)
                try transaction.remember(call.repeatable, .init(account: call.account.key))
                return try transaction.managedRow(call.account)
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            return nil
        }
    }

    /// What a change comes to for the account as it is.
    private struct Plan {
        enum Address {
            case kept
            /// It becomes verified, in this spelling.
            case proved(EmailAddress)
            case replaced(EmailAddress, isProved: Bool)
        }

        var address = Address.kept
        /// The number goes; another one may come.
        var removesNumber = false
        var number: PhoneNumber?
        var passwordHash: String?
        var displayName: String?

        var replacesAddress: Bool {
            if case .replaced = address { true } else { false }
        }
        var endsSessions: Bool { replacesAddress || removesNumber || passwordHash != nil }

        /// For the trail.
        var changes: [AuditDetail.AccountChange] {
            var changes: [AuditDetail.AccountChange] = []
            switch address {
            case .kept: break
            case .proved: changes.append(.emailVerified)
            case .replaced: changes.append(.email)
            }
            if removesNumber || number != nil { changes.append(.phoneNumber) }
            if passwordHash != nil { changes.append(.password) }
            if displayName != nil { changes.append(.displayName) }
            return changes
        }
    }

    /// - Throws: `auth/email-already-in-use`, `auth/credential-already-in-use`,
    ///   `auth/last-sign-in-method`.
    private func plan(
        _ change: Change, _ hash: String?, _ row: AccountRow, _ transaction: Transaction
    ) throws -> Plan {
        var plan = Plan(passwordHash: hash, displayName: change.displayName)
        if let address = change.address {
            plan.address = try self.address(address, change, row, transaction)
        }
        switch change.number {
        case .kept: break
        case .removed:
            plan.removesNumber = row.phone != nil
            let others = settings.opening(row.methods).filter { $0 != .phone }
            // A number alone is the last way in, also beside an address that could reset a password.
            guard !plan.removesNumber || !others.isEmpty || hash != nil else {
                throw ServiceError(.lastMethod, fields: ["phone_number"])
            }
        case .set(let number):
            let known = try transaction.phoneIdentity(number, keys).account
            guard known != row.account else { break }
            try requireFree(number, for: row.account, transaction)
            (plan.removesNumber, plan.number) = (row.phone != nil, number)
        }
        return plan
    }

    private func address(
        _ address: EmailAddress, _ change: Change, _ row: AccountRow, _ transaction: Transaction
    ) throws -> Plan.Address {
        let key = keys.lookUpKey(of: address)
        if key == row.address?.lookUpKey {
            let isProved = row.address?.provedAt != nil
            return change.isVerified && !isProved ? .proved(address) : .kept
        }
        guard try transaction.owner(ofAddress: key) == nil else {
            throw ServiceError(.emailAlreadyInUse, fields: ["email"])
        }
        return .replaced(address, isProved: change.isVerified)
    }

    /// What is pending ends before anything new is written: the notices have links of their own.
    private func apply(
        _ plan: Plan, to row: AccountRow, _ call: AccountCall, _ transaction: Transaction
    ) throws {
        let (account, vault) = (row.account, try reader.vault(row))
        guard !plan.changes.isEmpty else { return }
        if plan.endsSessions { try transaction.voidPendingState(of: account) }
        try write(plan.address, to: row, vault, call, transaction)
        if let hash = plan.passwordHash {
            try transaction.setPassword(account, sealedHash: try vault.seal(hash, .passwordHash))
            try transaction.audit(
                .passwordReplaced, account, detail: .password(.change), from: call.origin)
        }
        try changeNumber(plan, of: row, vault, call, transaction)
        if let name = plan.displayName {
            try transaction.setDisplayName(try vault.seal(name, .displayName), of: account)
        }
        if plan.endsSessions {
            try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        }
        try tell(plan, row, transaction)
        try transaction.audit(
            call.event(.accountChangedByBackend, detail: .changes(plan.changes)))
    }

    private func write(
        _ address: Plan.Address, to row: AccountRow, _ vault: AccountVault, _ call: AccountCall,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        switch address {
        case .kept: return
        case .proved(let address):
            try transaction.setAddressProved(
                account, sealed: try vault.seal(address.entered, .address))
            try transaction.removeLinks(.verifyEmail, of: account)
            try transaction.audit(.emailVerified, account, from: call.origin)
        case .replaced(let address, let isProved):
            try transaction.replaceAddress(
                account,
                by: NewAddress(address, isProved: isProved, vault, keys))
            if isProved {
                try transaction.apply(.verify, account)
            } else if settings.emailVerification == .required {
                try transaction.apply(.awaitVerification, account)
            }
            // Its mailed link was to the former address.
            try writer.deletions.renewLink(of: account, transaction)
            try transaction.audit(
                .emailChanged, account, from: call.origin, subject: keys.subject(of: address))
        }
    }

    private func changeNumber(
        _ plan: Plan, of row: AccountRow, _ vault: AccountVault, _ call: AccountCall,
        _ transaction: Transaction
    ) throws {
        if plan.removesNumber {
            try MethodRemoval(writer: writer, transaction: transaction)
                .run(.phone, from: row, DeviceShown(nil), origin: call.origin)
        }
        guard let number = plan.number else { return }
        try insert(number, of: row.account, vault, transaction)
        try audit(
            .identityLinked, PhoneIdentity.proved(number.text), of: row.account,
            from: call.origin, transaction)
        try notices.write(
            .methodAdded, to: row, DeviceShown(nil), with: [.method(.phone)],
            about: SignInMethod.phone.name, transaction)
    }

    private func tell(_ plan: Plan, _ row: AccountRow, _ transaction: Transaction) throws {
        if case .replaced(let address, _) = plan.address {
            try notices.write(
                .emailChanged, to: row, DeviceShown(nil), with: [.address(address)], transaction)
        }
        guard plan.passwordHash != nil else { return }
        try notices.write(.passwordChanged, to: row, DeviceShown(nil), transaction)
        if plan.replacesAddress {
            try notices.write(.passwordChanged, to: row.account, DeviceShown(nil), transaction)
        }
    }
}

extension BackendAccountsHandler {
    /// The validated request of a change.
    struct Change: Sendable {
        enum Number {
            case kept, removed
            case set(PhoneNumber)
        }

        /// Nil to keep it.
        let address: EmailAddress?
        /// The backend vouches for it.
        let isVerified: Bool
        let number: Number
        /// As entered; empty to keep it. The policy is checked later.
        let password: SecretBytes
        /// Nil to keep it.
        let displayName: String?

        /// Reads a request.
        /// - Throws: `auth/invalid-email`, `auth/invalid-phone-number`; as `PhoneSettings.require`;
        ///   `rpc/invalid-argument` with the field.
        init(
            _ request: GatewayV1.ChangeAccountRequest, _ settings: IdentitySettings
        ) throws(ServiceError) {
            if case .email(let email) = request.address {
                address = try EmailAddress.required(email)
            } else {
                address = nil
            }
            guard address != nil || !request.emailVerified else {
                throw ServiceError(.invalidArgument, fields: ["email_verified"])
            }
            isVerified = request.emailVerified
            if case .phoneNumber(let text) = request.number, !text.isEmpty {
                let number = try PhoneNumber.required(text)
                try settings.phone.require(number)
                self.number = .set(number)
            } else {
                number = request.number == nil ? .kept : .removed
            }
            password = request.password
            if case .displayName(let name) = request.name {
                displayName = name
            } else {
                displayName = nil
            }
            guard Applicant.isDisplayName(displayName ?? "") else {
                throw ServiceError(.invalidArgument, fields: ["display_name"])
            }
        }

        /// Requires that the account can be changed so. A guest has no ways to sign in: one who signs
        /// up keeps its data (`GuestUpgrade`). A password without an address opens nothing.
        /// - Throws: `auth/operation-not-allowed`.
        func require(_ row: AccountRow) throws(ServiceError) {
            guard !row.isGuest else { throw ServiceError(.operationNotAllowed) }
            guard password.isEmpty || address != nil || row.address != nil else {
                throw ServiceError(.operationNotAllowed, fields: ["password"])
            }
        }
    }
}
